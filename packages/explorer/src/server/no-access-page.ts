/** What a browser shows that comes without a cookie, for example after the program was started again: how to get in, and nothing else. */
export const noAccessPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>waybill explore: a link is needed</title>
  </head>
  <body>
    <main>
      <h1>This page opens only by a link</h1>
      <p>The link was used before, or <code>waybill explore</code> was started again since.</p>
      <p>Press Enter in the terminal where it runs: it prints another link. Open that one in this browser.</p>
    </main>
  </body>
</html>
`;
