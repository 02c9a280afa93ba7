/** Languages that say the same in the same words have one name here; all others their own. */
export const familyOf = (language: string): string =>
  language === "javascript" || language === "typescript" || language === "tsx"
    ? "script"
    : language === "cpp"
      ? "c"
      : language

export const isScript = (language: string): boolean => familyOf(language) === "script"
