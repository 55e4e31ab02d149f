/** The path that `from` means in the document at `path`; it begins with `..` when it leads out of the folder that paths are relative to. */
export function resolve(path: string, from: string): string {
  const parts: string[] = [];
  for (const part of [...path.split("/").slice(0, -1), ...from.split("/")]) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
