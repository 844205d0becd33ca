import { Converter } from "typedoc";

/** Names the modules of the API reference as they are imported: `@waybill/core/pipeline` instead of `core/src/pipeline`. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? [])
      module.name = `@waybill/${module.name.replace(/\/src(?:\/index)?$/, "").replace("/src/", "/")}`;
  });
}
