#include "templates/mustache.hpp"

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/exact_number.hpp"

namespace waybill::templates {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

Partials partials_of(const Texts& texts) {
  return [&texts](std::string_view name) -> std::optional<std::string> {
    const auto found = texts.find(name);
    if (found == texts.end()) return std::nullopt;
    return found->second;
  };
}

Template parsed(std::string_view text) {
  auto result = Template::parse(text);
  if (const auto* error = std::get_if<TemplateError>(&result)) {
    throw std::invalid_argument(error->message + " in " + std::string(text));
  }
  return std::get<Template>(std::move(result));
}

std::string render(std::string_view text, std::string_view context, Escape escape = Escape::html,
                   const Texts& partials = {}) {
  const json::value data = json::parse(context);
  return parsed(text).render(data.as_object(), escape, partials_of(partials));
}

const Texts no_partials;

struct Case {
  std::string_view rule;
  std::string_view text;
  std::string_view context;
  std::string_view expected;
  Texts partials = no_partials;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(render(c.text, c.context, Escape::html, c.partials), c.expected) << c.rule << ": " << c.text;
  }
}

TEST(Mustache, Interpolation) {
  check({
      {"text without tags stays", "Braces {alone} stay.\n", "{}", "Braces {alone} stay.\n"},
      {"a name", "To {{city}}.\n", R"({"city": "Lyon"})", "To Lyon.\n"},
      {"its value is not read again", "{{a}}: {{b}}", R"j({"a": "{{b}}", "b": 3})j", "{{b}}: 3"},
      {"two braces escape HTML", "{{x}}", R"({"x": "<\"&>'"})", "&lt;&quot;&amp;&gt;&#39;"},
      {"three braces do not", "{{{x}}}", R"({"x": "<\"&>"})", "<\"&>"},
      {"an ampersand does not", "{{&x}}", R"({"x": "<\"&>"})", "<\"&>"},
      {"integer", "{{n}} {{{n}}} {{&n}}", R"({"n": 407})", "407 407 407"},
      {"decimal", "{{n}} {{{n}}} {{&n}}", R"({"n": 2.75})", "2.75 2.75 2.75"},
      {"prices print as in JSON", "{{a}} {{b}} {{c}}", R"({"a": 19.99, "b": 100.0, "c": -0.5})",
       "19.99 100 -0.5"},
      {"large numbers have no exponent", "{{n}}", R"({"n": 123456789012.25})", "123456789012.25"},
      {"booleans", "{{t}} {{f}}", R"({"t": true, "f": false})", "true false"},
      {"null is nothing", "[{{x}}{{{x}}}{{&x}}]", R"({"x": null})", "[]"},
      {"missing is nothing", "[{{x}}{{{x}}}{{&x}}]", "{}", "[]"},
      {"objects and lists print as JSON", "{{{o}}} {{{l}}}", R"({"o": {"a": 1.5}, "l": [1, "x"]})",
       R"({"a":1.5} [1,"x"])"},
      {"dotted name", "{{driver.city}}={{#driver}}{{city}}{{/driver}}", R"({"driver": {"city": "Bern"}})",
       "Bern=Bern"},
      {"dotted name, not escaped", "{{{o.tag}}} {{&o.tag}}", R"({"o": {"tag": "<J>"}})", "<J> <J>"},
      {"dotted name of any depth", "{{a.b.c.d.e.f}}", R"({"a": {"b": {"c": {"d": {"e": {"f": "deep"}}}}}})",
       "deep"},
      {"a broken chain is nothing", "({{a.b.c}})", R"({"a": {}})", "()"},
      {"a broken chain does not go on elsewhere", "({{a.b.c.f}})", R"({"a": {"b": {}}, "c": {"f": "other"}})",
       "()"},
      {"the first part is looked up through the stack", "{{#a}}{{b.c.d.e.f}}{{/a}}",
       R"({"a": {"b": {"c": {"d": {"e": {"f": "deep"}}}}}, "b": {"c": {"d": {"e": {"f": "outer"}}}}})",
       "deep"},
      {"the others are not", "{{#a}}{{b.c}}{{/a}}", R"({"a": {"b": {}}, "b": {"c": "outer"}})", ""},
      {"a dotted name is never one key", "{{a.b}}", R"({"a.b": "c"})", ""},
      {"nor does it hide the chain", "{{a.b}}", R"({"a.b": "c", "a": {"b": "d"}})", "d"},
      {"a dotted name steps into no list", "({{l.name}})", R"({"l": [{"name": "x"}]})", "()"},
      {"the root under the implicit iterator", "{{{.}}}", R"({"a": 1})", R"({"a":1})"},
      {"whitespace around stays", "| {{s}} |{{{s}}}| {{&s}} |", R"({"s": "##"})", "| ## |##| ## |"},
      {"a variable never stands alone", "  {{s}}\n", R"({"s": "##"})", "  ##\n"},
      {"a triple never stands alone", "  {{{s}}}\n", R"({"s": "##"})", "  ##\n"},
      {"an ampersand never stands alone", "  {{&s}}\n", R"({"s": "##"})", "  ##\n"},
      {"padding inside", "|{{ s }}|{{{ s }}}|{{& s }}|{{\n s\n}}|", R"({"s": "##"})", "|##|##|##|##|"},
  });
}

TEST(Mustache, Sections) {
  check({
      {"true", "<{{#b}}in{{/b}}>", R"({"b": true})", "<in>"},
      {"false", "<{{#b}}in{{/b}}>", R"({"b": false})", "<>"},
      {"null is false", "<{{#b}}in{{/b}}>", R"({"b": null})", "<>"},
      {"missing is false", "[{{#b}}x{{/b}}]", "{}", "[]"},
      {"an object is entered", "{{#c}}by {{code}}{{/c}}", R"({"c": {"code": "dpd"}})", "by dpd"},
      {"outer names are seen inside", "{{#o}}{{a}} {{b}} {{c.d}}{{/o}}",
       R"({"a": 1, "b": 9, "o": {"b": 2}, "c": {"d": 3}})", "1 2 3"},
      {"what is not false renders once", "{{#n}}x{{/n}}{{#s}}y{{/s}}", R"({"n": 0, "s": ""})", "xy"},
      {"a text is a context of its own", "{{#s}}{{.}}/{{s}}{{/s}}", R"({"s": "v"})", "v/v"},
      {"contexts nest",
       "{{#list}}{{#tops}}{{#middles}}{{tn.lower}}{{mn}}.{{#bottoms}}{{tn.upper}}{{mn}}{{bn}}.{{/bottoms}}{{/"
       "middles}}{{/tops}}{{/list}}",
       R"({"list": [{"tops": {"tn": {"upper": "A", "lower": "a"}, "middles": [{"mn": "1", "bottoms": [{"bn": "x"}, {"bn": "y"}]}]}}]})",
       "a1.A1x.A1y."},
      {"a list repeats", "<{{#l}}{{n}},{{/l}}>", R"({"l": [{"n": 7}, {"n": 8}, {"n": 9}]})", "<7,8,9,>"},
      {"an empty list is false", "<{{#l}}in{{/l}}>", R"({"l": []})", "<>"},
      {"one name may open twice", "{{#b}}\none\n{{/b}}\n{{mid}}\n{{#b}}\nthree\n{{/b}}\n",
       R"({"b": true, "mid": "two"})", "one\ntwo\nthree\n"},
      {"nested, true", "1{{#b}}2{{#b}}3{{/b}}4{{/b}}5", R"({"b": true})", "12345"},
      {"nested, false", "1{{#b}}2{{#b}}3{{/b}}4{{/b}}5", R"({"b": false})", "15"},
      {"dotted, true", "<{{#a.b.c}}in{{/a.b.c}}>", R"({"a": {"b": {"c": true}}})", "<in>"},
      {"dotted, false", "<{{#a.b.c}}in{{/a.b.c}}>", R"({"a": {"b": {"c": false}}})", "<>"},
      {"dotted, broken chain", "<{{#a.b.c}}in{{/a.b.c}}>", R"({"a": {}})", "<>"},
  });
}

TEST(Mustache, ImplicitIterator) {
  check({
      {"strings", "{{#l}}({{.}}){{/l}}", R"({"l": ["a", "b"]})", "(a)(b)"},
      {"integers", "{{#l}}({{.}}){{/l}}", R"({"l": [1, 2]})", "(1)(2)"},
      {"decimals", "{{#l}}({{.}}){{/l}}", R"({"l": [1.1, 2.2]})", "(1.1)(2.2)"},
      {"lists in lists", "{{#l}}({{#.}}{{.}}{{/.}}){{/l}}", R"({"l": [[1, 2], ["a"]]})", "(12)(a)"},
      {"escaped", "{{#l}}({{.}}){{/l}}", R"({"l": ["&"]})", "(&amp;)"},
      {"not escaped", "{{#l}}({{{.}}})({{&.}}){{/l}}", R"({"l": ["&"]})", "(&)(&)"},
      {"objects", "{{#l}}{{#.}}{{v}}{{/.}}{{/l}}", R"({"l": [{"v": "a"}, {"v": "b"}]})", "ab"},
      {"a name is not sought in a scalar", "{{#l}}({{v}}){{/l}}", R"({"l": ["a"], "v": "out"})", "(out)"},
      {"inverted", "{{#l}}{{^.}}no{{/.}}{{/l}}", R"({"l": [true, false]})", "no"},
  });
}

TEST(Mustache, InvertedSections) {
  check({
      {"false", "<{{^b}}in{{/b}}>", R"({"b": false})", "<in>"},
      {"true", "<{{^b}}in{{/b}}>", R"({"b": true})", "<>"},
      {"null", "<{{^b}}in{{/b}}>", R"({"b": null})", "<in>"},
      {"an object", "<{{^b}}in{{/b}}>", R"({"b": {"k": 1}})", "<>"},
      {"a list", "<{{^b}}in{{/b}}>", R"({"b": [{"n": 1}]})", "<>"},
      {"an empty list", "<{{^b}}in{{/b}}>", R"({"b": []})", "<in>"},
      {"missing", "[{{^b}}x{{/b}}]", "{}", "[x]"},
      {"one name may open twice", "{{^b}}\none\n{{/b}}\n{{mid}}\n{{^b}}\nthree\n{{/b}}\n",
       R"({"b": false, "mid": "two"})", "one\ntwo\nthree\n"},
      {"nested, false", "1{{^b}}2{{^b}}3{{/b}}4{{/b}}5", R"({"b": false})", "12345"},
      {"nested, true", "1{{^b}}2{{^b}}3{{/b}}4{{/b}}5", R"({"b": true})", "15"},
      {"dotted, true", "<{{^a.b.c}}in{{/a.b.c}}>", R"({"a": {"b": {"c": true}}})", "<>"},
      {"dotted, false", "<{{^a.b.c}}in{{/a.b.c}}>", R"({"a": {"b": {"c": false}}})", "<in>"},
      {"dotted, broken chain", "<{{^a.b.c}}in{{/a.b.c}}>", R"({"a": {}})", "<in>"},
  });
}

TEST(Mustache, StandaloneLinesVanish) {
  const std::string_view yes = R"({"b": true})";
  const std::string_view no = R"({"b": false})";
  check({
      {"inside a line whitespace stays", " | {{#b}}\t|\t{{/b}} | \n", yes, " | \t|\t | \n"},
      {"comments between stay apart", " | {{#b}} {{! c }}\n {{/b}} | \n", yes, " |  \n  | \n"},
      {"two on a line do not stand alone", " {{#b}}YES{{/b}}\n {{#b}}GOOD{{/b}}\n", yes, " YES\n GOOD\n"},
      {"section", "top\n{{#b}}\n|\n{{/b}}\nbottom\n", yes, "top\n|\nbottom\n"},
      {"indented section", "top\n  {{#b}}\n|\n  {{/b}}\nbottom\n", yes, "top\n|\nbottom\n"},
      {"CR LF", "|\r\n{{#b}}\r\n{{/b}}\r\n|", yes, "|\r\n|"},
      {"first line", "  {{#b}}\n#{{/b}}\n/", yes, "#\n/"},
      {"last line", "#{{#b}}\n/\n  {{/b}}", yes, "#\n/\n"},
      {"padding in the tag", "|{{# b }}={{/ b }}|", yes, "|=|"},
      {"inverted", "top\n{{^b}}\n|\n{{/b}}\nbottom\n", no, "top\n|\nbottom\n"},
      {"inverted, indented", "top\n  {{^b}}\n|\n  {{/b}}\nbottom\n", no, "top\n|\nbottom\n"},
      {"inverted, CR LF", "|\r\n{{^b}}\r\n{{/b}}\r\n|", no, "|\r\n|"},
      {"inverted, last line", "^{{^b}}\n/\n  {{/b}}", no, "^\n/\n"},
      {"inverted, inside a line whitespace stays", " | {{^b}}\t|\t{{/b}} | \n", no, " | \t|\t | \n"},
      {"inverted, comments between stay apart", " | {{^b}} {{! c }}\n {{/b}} | \n", no, " |  \n  | \n"},
      {"inverted, two on a line do not stand alone", " {{^b}}NO{{/b}}\n {{^b}}WAY{{/b}}\n", no,
       " NO\n WAY\n"},
      {"inverted, first line", "  {{^b}}\n^{{/b}}\n/", no, "^\n/"},
      {"inverted, padding in the tag", "|{{^ b }}={{/ b }}|", no, "|=|"},
      {"a section over lines that are not entered", "a\n{{#b}}\n{{x}}\n{{/b}}\nz\n", no, "a\nz\n"},
      {"sections nested on lines of their own", "{{#b}}\n{{#b}}\nx\n{{/b}}\n{{/b}}\n", yes, "x\n"},
      {"tabs and spaces around a tag of its own", "a\n \t{{#b}}\t \nx\n{{/b}} \nz", yes, "a\nx\nz"},
      {"blank lines around stay", "a\n\n{{#b}}\nx\n{{/b}}\n\nb", yes, "a\n\nx\n\nb"},
  });
}

TEST(Mustache, Comments) {
  check({
      {"inline", "ab{{! note }}cd", "{}", "abcd"},
      {"several lines", "ab{{!\n  one\n  two }}cd\n", "{}", "abcd\n"},
      {"standalone", "before\n{{! note }}\nafter\n", "{}", "before\nafter\n"},
      {"indented", "before\n  {{! note }}\nafter\n", "{}", "before\nafter\n"},
      {"CR LF", "|\r\n{{! note }}\r\n|", "{}", "|\r\n|"},
      {"without a line before", "  {{! note }}\n!", "{}", "!"},
      {"without a line after", "!\n  {{! note }}", "{}", "!\n"},
      {"several lines, standalone", "before\n{{!\nnote\n}}\nafter\n", "{}", "before\nafter\n"},
      {"several lines, indented", "before\n  {{!\n    note\n  }}\nafter\n", "{}", "before\nafter\n"},
      {"after a variable it does not stand alone", "  x {{! y }}\n", "{}", "  x \n"},
      {"whitespace around stays", "ab {{! note }} cd", "{}", "ab  cd"},
      {"no collision with a name", "[{{! note }}]", R"({"! note": 1, "note": 2})", "[]"},
  });
}

TEST(Mustache, Delimiters) {
  check({
      {"pair", "{{=<% %>=}}(<%city%>)", R"({"city": "Lyon"})", "(Lyon)"},
      {"characters of regular expressions", "({{=[ ]=}}[city])", R"({"city": "Lyon"})", "(Lyon)"},
      {"sections",
       "[\n{{#s}}\n  {{data}}\n  |data|\n{{/s}}\n\n{{= | | =}}\n|#s|\n  {{data}}\n  |data|\n|/s|\n]\n",
       R"({"s": true, "data": "I"})", "[\n  I\n  |data|\n\n  {{data}}\n  I\n]\n"},
      {"inverted", "[\n{{^s}}\n  {{data}}\n{{/s}}\n{{= | | =}}\n|^s|\n  {{data}}\n  |data|\n|/s|\n]\n",
       R"({"s": false, "data": "I"})", "[\n  I\n  {{data}}\n  I\n]\n"},
      {"a partial does not inherit them",
       "[ {{>shared}} ]\n{{= | | =}}\n[ |>shared| ]\n",
       R"({"value": "v"})",
       "[ .v. ]\n[ .v. ]\n",
       {{"shared", ".{{value}}."}}},
      {"a partial's do not leak",
       "[ {{>shared}} ]\n[ .{{value}}.  .|value|. ]\n",
       R"({"value": "v"})",
       "[ .v.  .v. ]\n[ .v.  .|value|. ]\n",
       {{"shared", ".{{value}}. {{= | | =}} .|value|."}}},
      {"they last beyond their section", "{{#b}}{{=| |=}}|/b||b|", R"({"b": true})", "true"},
      {"whitespace around stays", "| {{=@ @=}} |", "{}", "|  |"},
      {"inline whitespace stays", " | {{=@ @=}}\n", "{}", " | \n"},
      {"standalone", "before\n{{=@ @=}}\nafter\n", "{}", "before\nafter\n"},
      {"indented", "before\n  {{=@ @=}}\nafter\n", "{}", "before\nafter\n"},
      {"CR LF", "|\r\n{{= @ @ =}}\r\n|", "{}", "|\r\n|"},
      {"without a line before", "  {{=@ @=}}\n=", "{}", "="},
      {"without a line after", "=\n  {{=@ @=}}", "{}", "=\n"},
      {"padding", "|{{= @   @ =}}|", "{}", "||"},
  });
}

TEST(Mustache, Partials) {
  check({
      {"sharedd", "<{{>p}}>", "{}", "<inner>", {{"p", "inner"}}},
      {"missing is nothing", "<{{>p}}>", "{}", "<>"},
      {"one that does not parse is nothing", "<{{>p}}>", "{}", "<>", {{"p", "{{#open}}"}}},
      {"it sees the context",
       "<{{>partial}}>",
       R"({"city": "Lyon"})",
       "<(Lyon)>",
       {{"partial", "({{city}})"}}},
      {"recursion",
       "{{>node}}",
       R"({"n": 1, "parts": [{"n": 2, "parts": []}]})",
       "1(2())",
       {{"node", "{{n}}({{#parts}}{{>node}}{{/parts}})"}}},
      {"nested",
       "{{>outer}}",
       R"({"a": "x", "b": "y"})",
       "[x-y]",
       {{"outer", "[{{a}}-{{>inner}}]"}, {"inner", "{{b}}"}}},
      {"whitespace around stays", "| {{>partial}} |", "{}", "| \t|\t |", {{"partial", "\t|\t"}}},
      {"inline is not indented",
       "  {{data}}  {{> partial}}\n",
       R"({"data": "|"})",
       "  |  >\n>\n",
       {{"partial", ">\n>"}}},
      {"CR LF", "|\r\n{{>partial}}\r\n|", "{}", "|\r\n>|", {{"partial", ">"}}},
      {"without a line before", "  {{>partial}}\n>", "{}", "  >\n  >>", {{"partial", ">\n>"}}},
      {"without a line after", ">\n  {{>partial}}", "{}", ">\n  >\n  >", {{"partial", ">\n>"}}},
      {"each line is indented, values are not",
       "\\\n {{>partial}}\n/\n",
       R"({"content": "<\n->"})",
       "\\\n |\n <\n->\n |\n/\n",
       {{"partial", "|\n{{{content}}}\n|\n"}}},
      {"indents add up", " {{>a}}\n", "{}", " a\n   b\n", {{"a", "a\n  {{>b}}\n"}, {"b", "b\n"}}},
      {"padding", "|{{> partial }}|", R"({"b": true})", "|[]|", {{"partial", "[]"}}},
      {"a standalone one within a section, each time",
       "{{#l}}\n  {{>p}}\n{{/l}}\n",
       R"({"l": [1, 2]})",
       "  [1]\n  [2]\n",
       {{"p", "[{{.}}]\n"}}},
      {"standalone tags of the partial itself vanish with their indent",
       "  {{>p}}\n",
       R"({"b": true})",
       "  x\n",
       {{"p", "{{#b}}\nx\n{{/b}}\n"}}},
      {"its sections must be its own", "<{{#b}}{{>p}}{{/b}}>", R"({"b": true})", "<>", {{"p", "{{/b}}"}}},
      {"an empty one is nothing", "a\n  {{>p}}\nz", "{}", "a\nz", {{"p", ""}}},
      {"its html is escaped by the place, not by itself",
       "{{>p}}",
       R"({"x": "<"})",
       "&lt;<",
       {{"p", "{{x}}<"}}},
      {"a name is not split at dots", "{{>a.b}}", "{}", "yes", {{"a.b", "yes"}}},
  });
}

TEST(Mustache, EscapesByContext) {
  const std::string_view context = R"j({"s": "a\"b\\c\n<é>\u0001", "n": 19.99, "o": {"k": "\""}})j";
  EXPECT_EQ(render("{{s}}", context, Escape::none), "a\"b\\c\n<é>\x01");
  EXPECT_EQ(render("{{s}}", context, Escape::html), "a&quot;b\\c\n&lt;é&gt;\x01");
  EXPECT_EQ(render("{\"s\":\"{{s}}\",\"n\":{{n}}}", context, Escape::json),
            R"j({"s":"a\"b\\c\n<é>\u0001","n":19.99})j");
  EXPECT_EQ(render("\"{{o}}\" {{{o}}}", context, Escape::json), R"j("{\"k\":\"\\\"\"}" {"k":"\""})j");
  EXPECT_EQ(render("{{{s}}}{{&s}}", R"({"s": "\"<"})", Escape::json), "\"<\"<");
}

TEST(Mustache, NumbersKeepTheirDigitsWhateverTheEscape) {
  const auto data = std::get<json::value>(
      parse_exact_json(R"({"n": 12345678901234567890123, "list": [0.12345678901234567891]})"));
  const auto all = parsed("{{n}} {{{n}}} {{#list}}{{.}}{{/list}} {{list}}");
  for (const auto escape : {Escape::none, Escape::json, Escape::url}) {
    const auto text = all.render(data.as_object(), escape, {}, 1000);
    EXPECT_TRUE(text.starts_with("12345678901234567890123 12345678901234567890123 0.12345678901234567891 "))
        << text;
  }
  EXPECT_TRUE(all.render(data.as_object(), Escape::none, {}, 1000).ends_with("[0.12345678901234567891]"));
}

TEST(Mustache, RefusesInvalidTemplates) {
  const std::vector<std::pair<std::string_view, std::size_t>> cases = {
      {"ab{{x", 2},
      {"ab{{{x}}", 2},
      {"{{#a}}x", 0},
      {"x{{#a}}{{#b}}{{/b}}", 1},
      {"{{#a}}{{/b}}", 6},
      {"x{{/a}}", 1},
      {"{{#a}}{{#b}}{{/a}}{{/b}}", 12},
      {"{{}}", 0},
      {"{{ }}", 0},
      {"{{#}}{{/}}", 0},
      {"{{>}}", 0},
      {"{{a b}}", 0},
      {"{{#if x}}{{/if}}", 0},
      {"{{a..b}}", 0},
      {"{{.a}}", 0},
      {"{{a.}}", 0},
      {"{{==}}", 0},
      {"{{=@=}}", 0},
      {"{{=a b c=}}", 0},
      {"{{=a= b=}}", 0},
      {"{{<parent}}{{/parent}}", 0},
      {"{{$block}}{{/block}}", 0},
  };
  for (const auto& [text, position] : cases) {
    const auto result = Template::parse(text);
    const auto* error = std::get_if<TemplateError>(&result);
    ASSERT_NE(error, nullptr) << text;
    EXPECT_EQ(error->position, position) << text << ": " << error->message;
    EXPECT_FALSE(error->message.empty());
  }
}

std::string nested_sections(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += "{{#a}}";
  text += 'x';
  for (int i = 0; i < depth; ++i) text += "{{/a}}";
  return text;
}

TEST(Mustache, SectionsNestAtMostAHundredDeep) {
  EXPECT_EQ(render(nested_sections(100), R"({"a": true})"), "x");
  EXPECT_TRUE(std::holds_alternative<TemplateError>(Template::parse(nested_sections(101))));
}

TEST(Mustache, PartialsNestAtMost32Deep) {
  EXPECT_EQ(render("{{>a}}", "{}", Escape::none, {{"a", "x{{>a}}"}}), std::string(32, 'x'));
}

TEST(Mustache, OutputIsLimited) {
  const json::object context{{"s", std::string(60, 'x')}};
  EXPECT_EQ(parsed("{{s}}{{s}}").render(context, Escape::none, {}, 120).size(), 120U);
  EXPECT_THROW(parsed("{{s}}{{s}}").render(context, Escape::none, {}, 119), std::length_error);
}

TEST(Mustache, WorkIsLimitedAlsoWithoutOutput) {
  EXPECT_THROW(render("{{>a}}", "{}", Escape::none, {{"a", "{{>a}}{{>a}}"}}), std::length_error);
  json::array list(300, json::value(true));
  const json::object context{{"l", list}};
  EXPECT_THROW(parsed("{{#l}}{{#l}}{{#l}}{{/l}}{{/l}}{{/l}}").render(context, Escape::none),
               std::length_error);
}

TEST(Mustache, TextsThatShareABudgetShareItsUnits) {
  const json::object context{{"s", std::string(640, 'x')}};
  const Template text = parsed("{{s}}");
  WorkBudget budget(25);  // a node, a name and ten units of output for each text
  EXPECT_EQ(text.render(context, Escape::none, {}, budget).size(), 640U);
  EXPECT_EQ(text.render(context, Escape::none, {}, budget).size(), 640U);
  EXPECT_THROW(text.render(context, Escape::none, {}, budget), std::length_error);
}

TEST(Mustache, EveryRenderingEndsWithinMilliseconds) {
  // Each name is looked up in a hundred levels, none of which has it.
  const json::object context{
      {"l", json::array(1000, json::object{{"l", json::array(1000, json::value(true))}})}};
  std::string deep = "{{missing}}";
  for (int i = 0; i < 98; ++i)
    deep.insert(0, "{{#l.a}}").append("{{/l.a}}{{^missing}}{{missing}}{{/missing}}");
  const auto since = std::chrono::steady_clock::now();
  EXPECT_THROW(parsed("{{#l}}{{#l}}" + deep + "{{/l}}{{/l}}").render(context, Escape::none),
               std::length_error);
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::milliseconds(200));
}

TEST(Mustache, AListOfAFewThousandItemsIsRendered) {
  json::array items;
  for (int i = 0; i < 4000; ++i) items.push_back({{"sku", "A-1"}, {"quantity", i}, {"price", 1.5}});
  const json::object context{{"items", items}};
  EXPECT_GT(
      parsed("{{#items}}{{sku}}: {{quantity}} x {{price}}\n{{/items}}").render(context, Escape::html).size(),
      40'000U);
}

TEST(Mustache, ListsItsPartials) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parsed("{{x}}").partials(), Names{});
  EXPECT_EQ(parsed("{{>a}}{{#s}}{{> b.c }}{{^t}}{{>a}}{{/t}}{{/s}}").partials(), (Names{"a", "b.c"}));
  EXPECT_EQ(parsed("{{=<% %>=}}<%> d %>{{> no}}").partials(), Names{"d"});
}

TEST(Mustache, OnlyTextWithoutTagsIsLiteral) {
  EXPECT_TRUE(parsed("").is_literal());
  EXPECT_TRUE(parsed("plain { text }\n").is_literal());
  for (const std::string_view text : {"{{a}}", "x{{!c}}", "{{=| |=}}x", "{{>p}}", "{{#a}}x{{/a}}"}) {
    EXPECT_FALSE(parsed(text).is_literal()) << text;
  }
}

TEST(Escape, UrlsAndFormsPercentEncodeTheirValues) {
  const char* const data = R"({"x": "a b/?&=+%~-._*ü"})";
  EXPECT_EQ(render("/p {{x}}", data, Escape::url), "/p a%20b%2F%3F%26%3D%2B%25~-._%2A%C3%BC");
  EXPECT_EQ(render("a={{x}}", data, Escape::form), "a=a+b%2F%3F%26%3D%2B%25%7E-._*%C3%BC");
}

TEST(Mustache, FindsRawTagsAndLiteralText) {
  for (const char* const raw : {"{{{x}}}", "{{&x}}", "{{#l}}{{{x}}}{{/l}}", "{{> p}}", "{{=<% %>=}}<%&x%>"})
    EXPECT_TRUE(parsed(raw).has_raw()) << raw;
  EXPECT_FALSE(parsed("a{{x}}{{#l}}{{y}}{{/l}}").has_raw());
  EXPECT_EQ(parsed("a{{x}}b{{#l}}c{{y}}{{/l}}").literal_text(), "abc");
}

TEST(Mustache, AllPartsBelowMetadataAreOneKeyIfThereIsSuchAKey) {
  check({
      {"a key with a dot", "{{metadata.erp.id}}", R"({"metadata": {"erp.id": "A-7"}})", "A-7"},
      {"with several", "{{metadata.a.b.c}}", R"({"metadata": {"a.b.c": 1, "a": 2}})", "1"},
      {"a key without dots", "{{metadata.erp}}", R"({"metadata": {"erp": "x", "erp.id": "y"}})", "x"},
      {"an unknown key", "{{metadata.erp.no}}", R"({"metadata": {"erp": "x", "erp.id": "y"}})", ""},
      {"of the values before", "{{previous.metadata.erp.id}}", R"({"previous": {"metadata": {"erp.id": 5}}})",
       "5"},
      {"in a list", "{{items.0.metadata.a.b}}", R"({"items": [{"metadata": {"a.b": 1}}]})", "1"},
      {"in a section of it", "{{#metadata}}{{erp.id}}{{/metadata}}", R"({"metadata": {"erp.id": "A-7"}})",
       "A-7"},
      {"a section of the key",
       "{{#metadata.erp.id}}[{{.}}]{{/metadata.erp.id}}{{^metadata.no.id}}-{{/metadata.no.id}}",
       R"({"metadata": {"erp.id": "A-7"}})", "[A-7]-"},
      {"a record around it", "{{#metadata}}{{customer.name}}{{/metadata}}",
       R"({"metadata": {"a": 1}, "customer": {"name": "Ada"}})", "Ada"},
      {"nowhere else", "{{other.erp.id}}{{#other}}{{erp.id}}{{/other}}", R"({"other": {"erp.id": "A-7"}})",
       ""},
      {"metadata that is null", "{{metadata.a.b}}", R"({"metadata": null})", ""},
  });
}

}  // namespace
}  // namespace waybill::templates
