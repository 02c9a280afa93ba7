import type { Marker } from "./shapes.ts"

/** Vocabulary of English requests. Every word is compared as a whole. */
const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Phrases by their first word, as they are looked up. */
export type Phrases = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

const phrases = (texts: ReadonlyArray<string>): Phrases =>
  Map.groupBy(
    texts.map((text) => text.split(" ")),
    ([first = ""]) => first
  )

export const makeVerbs = set(
  "implement create initialise initialize build add write develop make design define introduce generate draft prepare provide scaffold code program produce construct compose bootstrap author set"
)
export const changeVerbs = set(
  "fix refactor rework update rewrite migrate port convert extract replace remove delete drop rename move optimize optimise improve clean configure deploy publish integrate connect wire hook merge upgrade downgrade bump document test cover enable disable change install adjust switch restructure reorganize reorganise simplify translate localize localise secure harden polish finish complete extend enhance modify edit correct resolve repair debug patch address eliminate deprecate split unify consolidate decouple modularize modularise parallelize automate benchmark profile release redesign reimplement restore revert reduce increase expose hide move convert transform inline isolate separate standardize standardise normalize normalise run execute apply verify ship mock stub seed format lint type annotate benchmark swap link sync clone copy announce tag pin tweak revamp tidy backfill regenerate rebuild dockerize containerize instrument bundle minify reword rephrase revise rewire vendor rearrange reorder"
)
export const informVerbs = set(
  "review investigate explain analyze analyse research describe summarize summarise list compare audit evaluate estimate identify check find tell outline inspect diagnose examine look report"
)
/** How something is to behave; in prose they only refine what was said before. */
export const minorVerbs = set(
  "use ensure keep handle return throw show display store save accept allow support validate avoid follow respect remember include consider prefer send log cache parse render print read load call cap limit sort filter persist reject ignore skip treat let put place give take note raise emit trigger start stop open close redirect export import log track notify set sanitize sanitise compress hash encrypt paginate throttle debounce resize upload download retry schedule register crop highlight align center stream batch wrap escape memoize rotate expire guard serve host"
)
/** Words that are a noun as often: after `and` they only count when an object with an article follows. */
export const doubtful = set(
  "test document design list review report format cover type code program patch link hook switch edit check search filter sort export import log cache profile release benchmark lint mock stub seed port run update delete remove change upgrade find look draft display sync merge split reset move polish address show save load read print"
)
/** What they enumerate belongs together: none of it can be done alone. */
export const jointVerbs = set(
  "merge connect integrate combine compare sync link swap unify consolidate split separate rename install export import bump upgrade downgrade use include ensure keep switch set find tell check list look wire hook decouple move run give put"
)
/** What they enumerate is a quality or a place, unless it is named exactly. */
export const vagueVerbs = set(
  "fix improve optimize optimise enhance increase reduce handle support check make change adjust clean update edit modify simplify test cover show display validate apply address resolve correct remove delete drop replace analyze analyse explain describe summarize summarise review investigate"
)

export const wholes = set(
  "module app application system service api apis site website dashboard library lib package tool toolkit cli platform game bot server backend frontend client sdk project portal suite framework plugin extension engine store shop blog feature functionality features pipeline manager editor player calculator clone program microservice admin crm cms marketplace chat forum infrastructure utility utilities helpers collection set series crud workflow stack solution product webapp layer subsystem integration kit monorepo workspace mvp prototype tracker planner"
)
/** A whole that one piece of work makes, unless it has many parts. */
export const smallWholes = set(
  "page screen view class component widget layout script panel section sidebar website template homepage object file interface hook controller router helper wrapper"
)
export const artefacts = set(
  "endpoint endpoints function functions component components page pages screen screens view views module modules service services class classes method methods route routes command commands handler handlers hook hooks feature features model models test tests script scripts migration migrations job jobs form forms flow flows button buttons file files controller controllers adapter adapters parser parsers tool tools api apis package packages plugin plugins util utils utility utilities helper helpers part parts task tasks thing things change changes improvement improvements issue issues bug bugs fix fixes section sections widget widgets dialog dialogs modal modals middleware middlewares interface interfaces type types table tables query queries document documents step steps item items operation operations algorithm algorithms deliverable deliverables requirement requirements support documentation docs coverage client clients driver drivers backend backends"
)
/** What is a property of one thing. */
export const fieldNouns = set(
  "field fields column columns property properties attribute attributes parameter parameters param params argument arguments arg args option options prop props key keys value values label labels tag tags color colors colour colours flag flags variable variables character characters language languages header headers input inputs state states status statuses role roles environment environments browser browsers size sizes level levels format formats unit units row rows day days reason reasons example examples case cases criterion criteria color"
)
export const fieldWords = set(
  "name names email emails age id ids password passwords username usernames title titles description descriptions price date dates phone address url status type body subject message content author amount quantity count color colour size weight height width category categories tags tag label city country street zip gender birthday first last firstname lastname createdat updatedat timestamp comment image avatar icon slug summary text value key rating sku currency total x y red green blue yellow black white orange purple info warning warn error debug linux macos windows mac chrome firefox safari edge android ios monday tuesday string number boolean integer float"
)
export const accompaniments = set(
  "tests test documentation docs comments types examples readme typing typings jsdoc docstrings"
)
export const qualities = set(
  "fast safe simple small clean quick easy slow robust reliable modern minimal responsive accessible secure scalable light dark friendly good nice pretty elegant efficient consistent concise clear correct stable maintainable readable idiomatic lightweight performant intuitive strict typed generic modular tested documented beautiful complete short basic speed safety simplicity quality performance security accessibility readability maintainability clarity consistency robustness reliability scalability usability efficiency correctness care precision detail spelling grammar punctuation style large big new old more less better faster cleaner safer simpler smaller easier async synchronous asynchronous optional required public private"
)
export const products = set(
  "react vue angular svelte solid next next.js nuxt node node.js nodejs express fastify nest nestjs typescript javascript python go golang rust java kotlin swift ruby rails django flask fastapi laravel php spring docker kubernetes terraform postgres postgresql mysql mongodb sqlite redis kafka rabbitmq elasticsearch graphql rest grpc tailwind tailwindcss bootstrap css html sass redux zustand mobx prisma drizzle sequelize mongoose vite webpack rollup esbuild jest vitest mocha cypress playwright pytest eslint prettier biome aws gcp azure vercel netlify firebase supabase jwt oauth oauth2 openai pandas numpy pytorch tensorflow axios lodash zod effect json yaml xml csv websocket websockets http https storybook figma shadcn pnpm npm yarn bun deno c c++ c# .net lua perl scala elixir haskell electron flutter"
)
export const idioms = new Set([
  "drag drop",
  "copy paste",
  "cut paste",
  "search replace",
  "find replace",
  "terms conditions",
  "read write",
  "up down",
  "left right",
  "start end",
  "start stop",
  "first last",
  "min max",
  "request response",
  "key value",
  "pan zoom",
  "play pause",
  "date time",
  "open close",
  "on off",
  "input output",
  "undo redo",
  "light dark",
  "show hide",
  "expand collapse",
  "back forth",
  "before after",
  "client server",
  "push pull",
  "trial error",
  "pros cons",
  "setup teardown",
  "name email",
  "username password",
  "email password",
  "html css",
  "loading error",
  "width height",
  "rows columns"
])

export const determiners = set(
  "the a an it them this that these those all each every its their our your my any some both new two three four five six seven eight nine ten unit integration end-to-end e2e missing another more no"
)
/** Where the object of a verb ends. */
export const stops = set(
  "that which who whose where when whenever if unless so because since while until using via by with without including featuring offering comprising containing consisting having such like between from about based whether how why what as than instead e.g e.g. i.e i.e. eg ie except on-demand rather depending related"
)
export const prepositions = set(
  "in on to for into onto under at inside within across of from through over around per against"
)
/** A tail that begins so belongs to everything before it. */
export const sharedTails = set(
  "in to into using via by under inside within so for based on from across at until without"
)

/** First words of what only limits the work. */
export const limitStarts = phrases([
  "do not",
  "don't",
  "never",
  "avoid",
  "no",
  "without",
  "must",
  "only",
  "make sure",
  "ensure",
  "keep",
  "use",
  "follow",
  "remember",
  "note",
  "be",
  "stick to",
  "prefer",
  "leave",
  "respect",
  "assume",
  "should",
  "not",
  "stay",
  "bear in mind",
  "take care",
  "mind"
])

/** Words before the verb of a request. */
export const leads = phrases([
  "please",
  "kindly",
  "hi",
  "hello",
  "hey",
  "ok",
  "okay",
  "so",
  "now",
  "just",
  "simply",
  "you should",
  "you must",
  "you need to",
  "you have to",
  "i want you to",
  "i'd like you to",
  "i would like you to",
  "i need you to",
  "i want to",
  "i'd like to",
  "i would like to",
  "i need to",
  "we want to",
  "we'd like to",
  "we would like to",
  "we need to",
  "we should",
  "we must",
  "we have to",
  "can you",
  "could you",
  "would you",
  "will you",
  "can we",
  "let's",
  "let us",
  "your task is to",
  "your job is to",
  "the task is to",
  "the goal is to",
  "our goal is to",
  "the idea is to",
  "help me to",
  "help me",
  "help us",
  "try to",
  "go ahead and",
  "go and",
  "it would be great to",
  "feel free to",
  "there is a need to",
  "and",
  "but",
  "or",
  "in this issue",
  "in this pr"
])

/** Requests that name the thing without a verb of making. */
export const needs = phrases([
  "i need",
  "i want",
  "i'd like",
  "i would like",
  "we need",
  "we want",
  "we'd like",
  "we would like",
  "we require",
  "i require"
])

/** Order words as they stand at the beginning of a clause, by their first word, longest first. */
export const orderWords: ReadonlyMap<string, ReadonlyArray<readonly [ReadonlyArray<string>, Marker]>> = Map.groupBy(
  (
    [
      ["but before that", "earlier"],
      ["but before this", "earlier"],
      ["before that", "earlier"],
      ["before this", "earlier"],
      ["before doing that", "earlier"],
      ["before you do that", "earlier"],
      ["beforehand", "earlier"],
      ["to begin with", "first"],
      ["to start with", "first"],
      ["first of all", "first"],
      ["first", "first"],
      ["firstly", "first"],
      ["start by", "first"],
      ["begin by", "first"],
      ["and then", "then"],
      ["once that is done", "then"],
      ["once that's done", "then"],
      ["once this is done", "then"],
      ["once it is done", "then"],
      ["once it's done", "then"],
      ["once done", "then"],
      ["when done", "then"],
      ["when that is done", "then"],
      ["when that's done", "then"],
      ["after that is done", "then"],
      ["after that", "then"],
      ["after this", "then"],
      ["after which", "then"],
      ["after doing so", "then"],
      ["then", "then"],
      ["next", "then"],
      ["second", "then"],
      ["secondly", "then"],
      ["third", "then"],
      ["thirdly", "then"],
      ["fourth", "then"],
      ["afterwards", "then"],
      ["afterward", "then"],
      ["subsequently", "then"],
      ["thereafter", "then"],
      ["later", "then"],
      ["finally", "last"],
      ["lastly", "last"],
      ["last", "last"],
      ["at last", "last"],
      ["at the end", "last"],
      ["in the end", "last"],
      ["to finish", "last"],
      ["also", "also"],
      ["additionally", "also"],
      ["in addition", "also"],
      ["furthermore", "also"],
      ["moreover", "also"],
      ["besides", "also"],
      ["separately", "also"],
      ["independently", "also"],
      ["meanwhile", "also"],
      ["in parallel", "also"],
      ["as well", "also"]
    ] as const
  )
    .map(([text, marker]) => [text.split(" "), marker] as const)
    .toSorted(([one], [other]) => other.length - one.length),
  ([[first = ""]]) => first
)
