#include "app/toml.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

using Document = std::map<std::string, std::vector<std::string>, std::less<>>;

Document read(const std::string& text) {
  std::istringstream input(text);
  return read_toml(input);
}

TEST(Toml, ReadsStringsIntegersBooleansAndArrays) {
  const Document document = read(
      "# settings\n"
      "listen = \"0.0.0.0:80\"  # everywhere\n"
      "\n"
      "literal = 'C:\\dir # no comment'\r\n"
      "escaped = \"a\\tb \\\"c\\\" \\\\\"\n"
      "number = 1_000\n"
      "negative = -5\n"
      "yes = true\n"
      "many = [\"a\", 'b',  # the second\n  3,\n]\n"
      "none = []\n"
      "last = \"without a line feed\"");
  const Document expected = {{"listen", {"0.0.0.0:80"}},
                             {"literal", {"C:\\dir # no comment"}},
                             {"escaped", {"a\tb \"c\" \\"}},
                             {"number", {"1000"}},
                             {"negative", {"-5"}},
                             {"yes", {"true"}},
                             {"many", {"a", "b", "3"}},
                             {"none", {}},
                             {"last", {"without a line feed"}}};
  EXPECT_EQ(document, expected);
}

TEST(Toml, RefusesWhatItDoesNotRead) {
  for (const char* text : {"[table]\na = 1\n", "a = 1\na = 2\n", "a\n", "a = \n", "a = bare\n", "a = 1.5\n",
                           "a = 2026-11-20\n", "a = \"open\n", "a = 'open\n", "a = \"\\q\"\n", "a = [1, 2\n",
                           "a = [1 2]\n", "a = 1 b = 2\n", "= 1\n", "a = \"x\" y\n", "a = -\n"}) {
    EXPECT_THROW(read(text), TomlError) << text;
  }
}

TEST(Toml, NamesTheLineOfAnError) {
  try {
    read("a = 1\n\nb = oops\n");
    FAIL();
  } catch (const TomlError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("line 3: ")) << error.what();
  }
}

}  // namespace
}  // namespace waybill::app
