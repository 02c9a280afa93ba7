import { useState } from "react"
import { type JsonSchema, type Schemas, shapeOf } from "./openapi.ts"

interface SchemaTreeProps {
  readonly schema: JsonSchema
  readonly schemas: Schemas
  /** Names of the components it stands in: one of them is not shown again inside itself. */
  readonly within?: ReadonlyArray<string>
}

/** The fields of a schema; what is inside them is drawn when it is opened. */
export const SchemaTree = ({ schema, schemas, within = [] }: SchemaTreeProps) => {
  const { fields, forms, name } = shapeOf(schema, schemas)
  const inside = name === null ? within : [...within, name]
  return (
    <>
      {fields.length === 0 ? null : (
        <ul className="ref-fields">
          {fields.map((field) => (
            <li key={field.name}>
              <FieldLine {...field} schemas={schemas} within={inside} />
            </li>
          ))}
        </ul>
      )}
      {forms.map((form, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: forms have no names and do not change
        <div key={index} className="ref-form">
          <p className="muted">{index === 0 ? "either" : "or"}</p>
          <SchemaTree schema={form} schemas={schemas} within={inside} />
        </div>
      ))}
    </>
  )
}

const FieldLine = ({
  isRequired,
  name,
  schema,
  schemas,
  within
}: {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: JsonSchema
  readonly schemas: Schemas
  readonly within: ReadonlyArray<string>
}) => {
  const [isOpen, setOpen] = useState(false)
  const { description, fields, forms, name: component, type } = shapeOf(schema, schemas)
  const isAgain = component !== null && within.includes(component)
  const hasInside = !isAgain && fields.length + forms.length > 0
  return (
    <>
      <div className="ref-field">
        {hasInside ? (
          <button type="button" className="ref-open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
            <code>{name}</code>
          </button>
        ) : (
          <code className="ref-leaf">{name}</code>
        )}
        <span className="ref-type mono">{type}</span>
        {isRequired ? null : <span className="muted ref-optional">optional</span>}
        {isAgain ? <span className="muted">as above</span> : null}
        {description === "" ? null : <p className="muted ref-about">{description}</p>}
      </div>
      {hasInside && isOpen ? <SchemaTree schema={schema} schemas={schemas} within={within} /> : null}
    </>
  )
}
