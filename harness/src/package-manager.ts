/** The command of the pnpm that runs this program, so that both have one version. */
export function packageManager(): [string, ...string[]] {
  const path = process.env.npm_execpath;
  if (path === undefined || !path.includes("pnpm")) return ["npx", "-y", "pnpm@12"];
  return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
}
