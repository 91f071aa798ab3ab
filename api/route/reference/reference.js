// Shows this server's own document. Nothing is validated elsewhere, and nothing is kept in the browser.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
