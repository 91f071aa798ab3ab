// Shows the document of this server. It is not sent to a validator, and nothing is stored in the browser.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
