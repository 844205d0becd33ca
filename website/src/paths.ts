import { fileURLToPath } from "node:url";

/** The workspace's root, with a slash at the end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where pages are staged for VitePress; everything in it but `.vitepress` is written by the build. */
export const site = fileURLToPath(new URL("../site/", import.meta.url));

/** The built site. */
export const output = `${site}.vitepress/dist/`;
