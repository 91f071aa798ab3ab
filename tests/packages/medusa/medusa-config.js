// A Medusa server without pages, Redis or custom code.
const { defineConfig } = require("@medusajs/framework/utils");

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { storeCors: "", adminCors: "", authCors: "", jwtSecret: "tests", cookieSecret: "tests" },
  },
  admin: { disable: true },
});
