/** A release of CHANGELOG.md. */
const heading = /^## (\d+\.\d+\.\d+(?:-[\w.]+)?) \((unreleased|\d{4}-\d{2}-\d{2})\)$/m;

/**
 * Dates the entries that are not released yet: they become the entries of a version. Throws where there are none, or where the version
 * is no semantic version.
 */
export function datedChangelog(changelog: string, version: string, date: string): string {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    throw new Error(`"${version}" is not a version such as 1.2.3.`);
  const [whole, , state] = heading.exec(changelog) ?? [];
  if (whole === undefined || state !== "unreleased")
    throw new Error(
      "CHANGELOG.md has nothing unreleased: its first heading must be “## x.y.z (unreleased)”.",
    );
  return changelog.replace(whole, `## ${version} (${date})`);
}

/** Whether the changelog has a version with a date. */
export function isReleased(changelog: string, version: string): boolean {
  const [, latest, state] = heading.exec(changelog) ?? [];
  return latest === version && state !== "unreleased";
}
