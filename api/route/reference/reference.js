// Shows this server's own document. It is not sent to a validator, and nothing is stored in the browser.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
