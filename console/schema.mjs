// Writes src/api/schema.ts, the types of the API, from the OpenAPI document. Numbers are Numerals (src/api/numeral.ts).
import {readFileSync, writeFileSync} from 'node:fs';

import openapi, {astToString} from 'openapi-typescript';
import ts from 'typescript';

const numeral = ts.factory.createTypeReferenceNode('Numeral');
const nullable = ts.factory.createUnionTypeNode([numeral, ts.factory.createLiteralTypeNode(ts.factory.createNull())]);

const nodes = await openapi(JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')), {
  transform(schema) {
    if (schema.type === 'integer' || schema.type === 'number') return numeral;
    if (Array.isArray(schema.type) && schema.type.length === 2 && schema.type[1] === 'null' &&
        (schema.type[0] === 'integer' || schema.type[0] === 'number'))
      return nullable;
    return undefined;
  },
});
const head = "// Made by schema.mjs from docs/openapi.json.\nimport type {Numeral} from './numeral';\n\n";
writeFileSync(new URL('src/api/schema.ts', import.meta.url), head + astToString(nodes));
