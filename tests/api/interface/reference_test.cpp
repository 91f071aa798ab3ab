// The reference page at /docs.
#include <regex>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class ReferenceTest : public ApiTest {
 protected:
  /// The first group of `pattern` at each match in `text`.
  static std::vector<std::string> found(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::vector<std::string> all;
    for (auto match = std::sregex_iterator(text.begin(), text.end(), regex); match != std::sregex_iterator();
         ++match)
      all.push_back((*match)[1].str());
    return all;
  }

  Response get(std::string_view path) {
    auto response = anonymous.get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_FALSE(response.text.empty()) << path;
    EXPECT_EQ(response.header("Cache-Control"), "public, max-age=3600") << path;
    EXPECT_EQ(response.header("X-Content-Type-Options"), "nosniff") << path;
    return response;
  }

  Http anonymous = world.waybill.http();
};

TEST_F(ReferenceTest, ThePageIsPublicAndLoadsOnlyFilesOfThisServer) {
  const auto page = get("/docs");
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  std::vector<std::string> loaded;
  for (const auto& reference : found(page.text, R"re((?:src|href)="([^"]*)")re")) {
    if (reference == "data:,") continue;
    ASSERT_TRUE(reference.starts_with("docs/")) << reference;
    loaded.push_back(reference);
  }
  EXPECT_EQ(loaded, (std::vector<std::string>{"docs/swagger-ui.css", "docs/swagger-ui-bundle.js",
                                              "docs/reference.js"}));
  for (const auto& reference : loaded) {
    const auto file = get("/" + reference);
    const bool is_script = reference.ends_with(".js");
    EXPECT_EQ(file.header("Content-Type"),
              is_script ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8");
  }
  EXPECT_EQ(page.text.find("//"), std::string::npos) << "no other host";
  EXPECT_EQ(get("/docs/swagger-ui-bundle.js.LICENSE.txt").header("Content-Type"),
            "text/plain; charset=utf-8");
}

TEST_F(ReferenceTest, ThePolicyAllowsOnlyThisServerAndThePageObeysIt) {
  const auto page = get("/docs");
  EXPECT_EQ(
      page.header("Content-Security-Policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_TRUE(found(page.text, R"re((<script(?![^>]* src=)|<style|\son[a-z]+=|\sstyle=))re").empty())
      << "no inline code or style";
}

TEST_F(ReferenceTest, TheStyleSheetLoadsNothing) {
  const auto style = get("/docs/swagger-ui.css").text;
  EXPECT_EQ(style.find("@import"), std::string::npos);
  for (const auto& url : found(style, R"re(url\(["']?([^"')]{1,20}))re"))
    EXPECT_TRUE(url.starts_with("data:")) << url;
}

TEST_F(ReferenceTest, TheScriptShowsTheDocumentOfThisServerWithoutExternalValidation) {
  const auto script = get("/docs/reference.js").text;
  EXPECT_NE(script.find("url: \"openapi.json\""), std::string::npos);
  EXPECT_NE(script.find("validatorUrl: null"), std::string::npos);
  EXPECT_EQ(script.find("://"), std::string::npos);
  EXPECT_EQ(anonymous.get("/openapi.json").body.at("openapi"), "3.1.0");
}

TEST_F(ReferenceTest, OtherFilesAndMethodsAreRefused) {
  expect_refused(anonymous.get("/docs/package.json"), 404, "NOT_FOUND");
  expect_refused(anonymous.get("/docs/..%2Freference.js"), 404, "NOT_FOUND");
  const auto response = anonymous.post("/docs");
  expect_refused(response, 405, "METHOD_NOT_ALLOWED");
  EXPECT_EQ(response.header("Allow"), "GET, HEAD, OPTIONS");
  const auto head = anonymous.request("HEAD", "/docs/swagger-ui-bundle.js");
  EXPECT_EQ(head.status, 200);
  EXPECT_GT(std::stol(head.header("Content-Length")), 1'000'000);
}

TEST_F(ReferenceTest, TheDocumentListsThePageAndNotItsFiles) {
  const auto document = anonymous.get("/openapi.json").body;
  EXPECT_TRUE(document.at("paths").as_object().contains("/docs"));
  for (const auto& [path, operations] : document.at("paths").as_object())
    EXPECT_FALSE(path.starts_with("/docs/")) << path;
}

}  // namespace
}  // namespace waybill::tests
