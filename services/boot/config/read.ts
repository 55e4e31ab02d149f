import { ROLES, type Role, SETTINGS, type Setting, type SettingName, type Settings } from "./settings.ts";

/** Where texts come from. */
export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A JSON object of variables, its path for messages; the environment goes before it. */
  readonly file?: { readonly path: string; readonly text: string };
  /** Reads what `NAME_FILE` names. Throws where it cannot. */
  readonly readFile: (path: string) => string;
}

/** What is wrong with the configuration, all of it: one line a variable, none of which quotes a value that opens something. */
export class ConfigRefusal extends Error {
  override readonly name = "ConfigRefusal";
  readonly code = "WOML_CONFIG_INVALID";
  /** Of the command: as for wrong arguments. */
  readonly exit = 2;
  readonly faults: readonly string[];

  constructor(role: Role, faults: readonly string[]) {
    super(`The configuration of ${role} is refused: ${faults.join("; ")}.`);
    this.faults = faults;
  }
}
type Found = { readonly text: string; readonly from: string };

const NAMES = Object.keys(SETTINGS) as SettingName[];

export function namesOf(role: Role): readonly SettingName[] {
  return NAMES.filter((name) => (SETTINGS[name].roles as readonly Role[]).includes(role));
}

/** The settings of one process. Throws ConfigRefusal with every fault; variables of other roles may stand there and are not looked at. */
export function readSettings<R extends Role>(role: R, sources: Sources): Settings<R> {
  const faults: string[] = [];
  const inFile = fileOf(sources, faults);
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of namesOf(role)) {
    const one: Setting<unknown> = SETTINGS[name];
    try {
      const found = find(name, one, { ...sources, inFile });
      const wanted = found?.text ?? usualOf(one, role);
      if (wanted !== undefined) values[name] = one.read(wanted);
      else if (!one.mayLack) faults.push(`${name} is not set: ${one.says}`);
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  faults.push(...alike(values), ...strangers(inFile));
  if (faults.length > 0) throw new ConfigRefusal(role, faults);
  return values as Settings<R>;
}

/**
 * One line a setting: `NAME=text`, where it comes from, and `***` for what opens something. Never throws: a bad value is shown as it is, but for
 * a name and password in a URL that may have none.
 */
export function printSettings(role: Role, sources: Sources): readonly string[] {
  const inFile = fileOf(sources, []);
  return namesOf(role).map((name) => {
    const one: Setting<unknown> = SETTINGS[name];
    const found = attempt(() => find(name, one, { ...sources, inFile }));
    const usual = usualOf(one, role);
    if (found === undefined) return usual === undefined ? `${name}= # not set` : `${name}=${usual} # usual`;
    return `${name}=${one.isSecret ? "***" : found.text.replaceAll(/\/\/[^/?#]*@/g, "//***@")} # ${found.from}`;
  });
}

function find(
  name: SettingName,
  { isSecret }: Setting<unknown>,
  from: Sources & { inFile: ReadonlyMap<string, string> },
): Found | undefined {
  const { env, readFile, inFile, file } = from;
  const given = env[name];
  const path = isSecret ? env[`${name}_FILE`] : undefined;
  if (given && path) throw new Error(`is given twice: take ${name} or ${name}_FILE`);
  if (path) return { text: content(path, readFile), from: `${name}_FILE` };
  if (given) return { text: given, from: "environment" };
  const text = inFile.get(name);
  return text === undefined ? undefined : { text, from: file?.path ?? "" };
}

/** A mounted secret often ends in a line break that is none of it. */
function content(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it cannot be read";
    throw new Error(`cannot be read from the file ${path} (${why})`);
  }
}

function fileOf({ file }: Sources, faults: string[]): ReadonlyMap<string, string> {
  if (file === undefined) return new Map();
  const parsed: unknown = attempt(() => JSON.parse(file.text));
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    faults.push(`${file.path} is not a JSON object of variables`);
    return new Map();
  }
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value === "string" || typeof value === "number") texts.set(name, String(value));
    else faults.push(`${name} in ${file.path} is neither a text nor a number`);
  }
  return texts;
}

/** Only a file is closed to strangers: an environment belongs to others too, and Kubernetes puts names of services into it. */
function strangers(inFile: ReadonlyMap<string, string>): readonly string[] {
  return [...inFile.keys()].filter((name) => !Object.hasOwn(SETTINGS, name)).map((name) => `${name} is no setting of the platform`);
}

function alike(values: Partial<Record<SettingName, unknown>>): readonly string[] {
  return NAMES.flatMap((name) => {
    const { unlike }: Setting<unknown> = SETTINGS[name];
    const [own, other] = [values[name], unlike === undefined ? undefined : values[unlike as SettingName]];
    const isAlike = Array.isArray(own) && Array.isArray(other) && own.some((entry) => other.includes(entry));
    return isAlike ? [`${name} has an entry that ${unlike} has too`] : [];
  });
}

function usualOf({ usual }: Setting<unknown>, role: Role): string | undefined {
  return typeof usual === "object" ? usual[role] : usual;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export const isRole = (word: string): word is Role => ROLES.some((role) => role === word);
