import { posix } from "node:path";

/**
 * A README with links that also work where only the package is: on a registry's page. Links to other files of the repository, such as
 * `../../docs/errors.md`, become links into the repository; `directory` is the package's path in it.
 */
export function withAbsoluteLinks(readme: string, repository: string, directory: string): string {
  return readme
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(
            /(\]\()(?![a-z]+:|#|\/)([^)#\s]+)(#[^)\s]*)?(\))/g,
            (_, open: string, path: string, anchor: string | undefined, close: string) =>
              `${open}${repository}/blob/main/${posix.normalize(posix.join(directory, path))}${anchor ?? ""}${close}`,
          ),
    )
    .join("");
}
