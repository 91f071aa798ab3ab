// The files of the console under /console/.
#include <array>
#include <string>
#include <string_view>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

struct File {
  std::string_view path;
  bool is_named_by_content;
};

constexpr File files[] = {
#define X(symbol, path, file, media_type, is_named_by_content) {path, is_named_by_content},
#include "console/built/files.inc"
#undef X
};

struct Links {
  std::string_view name, value;
};

constexpr Links all_links[] = {
#define X(name, value) {name, value},
#include "console/built/links.inc"
#undef X
};

class ConsoleTest : public ApiTest {
 protected:
  Response get(std::string_view path, const Headers& headers = {}) {
    auto response = anonymous.get(path, headers);
    EXPECT_EQ(response.header("X-Content-Type-Options"), "nosniff") << path;
    return response;
  }

  Http anonymous = world.waybill.http();
};

TEST_F(ConsoleTest, EachFileIsPublicAndCompressed) {
  for (const auto& file : files) {
    const auto answer = get(file.path);
    EXPECT_EQ(answer.status, 200) << file.path;
    EXPECT_EQ(answer.header("Content-Encoding"), "gzip") << file.path;
    EXPECT_TRUE(answer.text.starts_with("\x1f\x8b")) << file.path;
  }
}

TEST_F(ConsoleTest, CachesKeepAFileNamedByItsContentAndAskForTheOthers) {
  for (const auto& file : files) {
    EXPECT_EQ(get(file.path).header("Cache-Control"),
              file.is_named_by_content ? "public, max-age=31536000, immutable" : "no-cache")
        << file.path;
  }
}

TEST_F(ConsoleTest, AFileThatTheClientHasIsNotSentAgain) {
  const auto tag = get("/console/").header("ETag");
  const auto again = get("/console/orders", {{"If-None-Match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.text.empty());
  EXPECT_EQ(again.header("ETag"), tag);
}

TEST_F(ConsoleTest, EachPlaceIsThePage) {
  const auto page = get("/console/index.html").text;
  for (const auto* place : {"/console", "/console/", "/console/orders", "/console/orders?status=ready",
                            "/console/orders/01a2", "/console/orders/01a2/automation"}) {
    EXPECT_EQ(get(place).text, page) << place;
  }
}

TEST_F(ConsoleTest, EachPlaceNamesTheFilesThatItNeeds) {
  for (const auto& [name, value] : all_links) {
    for (const std::string_view rest : {"", "?status=ready", "/01a2", "/01a2/automation?open=1"}) {
      const auto place = "/console/" + std::string(name) + std::string(rest);
      EXPECT_EQ(get(place).header("Link"), value) << place;
    }
  }
  const auto today = get("/console/today").header("Link");
  for (const auto* place : {"/console", "/console/", "/console/?q=orders"})
    EXPECT_EQ(get(place).header("Link"), today) << place;
  EXPECT_TRUE(today.starts_with("</console/")) << today;
  EXPECT_EQ(get("/console/nowhere").header("Link"), "");
}

TEST_F(ConsoleTest, TheNamedFilesAreThere) {
  std::string all;
  for (const auto& file : files) all.append(file.path).append(" ");
  for (const auto& [name, value] : all_links) {
    for (std::string_view rest = value; !rest.empty();) {
      const auto begin = rest.find('<') + 1;
      const auto path = rest.substr(begin, rest.find('>') - begin);
      EXPECT_NE(all.find(std::string(path) + " "), std::string::npos) << name << ": " << path;
      const auto comma = rest.find(',');
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
  }
}

TEST_F(ConsoleTest, ThePageNamesTheTextsOfTheReadersLanguage) {
  const auto links = [&](std::string_view accepted) {
    const auto answer = get("/console/nowhere", {{"Accept-Language", std::string(accepted)}});
    EXPECT_EQ(answer.header("Vary"), "Accept-Language");
    return answer.header("Link");
  };
  EXPECT_TRUE(links("de-AT,de;q=0.9,en;q=0.8").starts_with("</console/de-"));
  EXPECT_EQ(links("en-GB,en;q=0.9,de;q=0.8"), "");
  EXPECT_EQ(links("xx"), "");
}

TEST_F(ConsoleTest, AFileOfAnotherVersionIsNotThePage) {
  EXPECT_EQ(anonymous.get("/console/index-00000000.js").status, 404);
}

TEST_F(ConsoleTest, ThePageLoadsOnlyFromThisServerAndMakesHtmlOnlyByItsFramework) {
  EXPECT_EQ(
      get("/console/orders").header("Content-Security-Policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      "require-trusted-types-for 'script'; trusted-types svelte-trusted-html");
}

TEST_F(ConsoleTest, ThePageOfMailsHasNoOriginAndNoNetwork) {
  EXPECT_EQ(
      get("/console/frame.html").header("Content-Security-Policy"),
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts");
}

}  // namespace
}  // namespace waybill::tests
