// Validates JSON documents against JSON Schemas (2020-12). The file named in the argument has an array of
// {name, schema, value}. Prints one line for each document that fails.
const fs = require('fs');
const Ajv = require('ajv/dist/2020');

const ajv = new Ajv({strict: false, validateFormats: false, allErrors: true});
let failed = false;
for (const {name, schema, value} of JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))) {
  const validate = ajv.compile(schema);
  if (validate(value)) continue;
  failed = true;
  console.log(name + ': ' + ajv.errorsText(validate.errors));
}
process.exit(failed ? 1 : 0);
