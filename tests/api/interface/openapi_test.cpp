#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/packages.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;

fs::path npm_folder() { return package_folder("openapi"); }
std::string npm_program(std::string_view name) { return npm_folder() / "node_modules" / ".bin" / name; }

// A separate folder with the document and a link to the installed npm packages.
class OpenApiDocument : public testing::Test {
 protected:
  OpenApiDocument() {
    const Finished printed = run({waybill_binary(), "openapi"});
    EXPECT_EQ(printed.status, 0) << printed.standard_error;
    std::ofstream(folder / "openapi.json") << printed.standard_output;
    fs::create_symlink(npm_folder() / "node_modules", folder / "node_modules");
  }

  // Runs a command in the folder.
  Finished there(const std::string& command) {
    return run({"sh", "-c", "cd '" + folder.path().string() + "' && " + command},
               {.environment = {{"REDOCLY_TELEMETRY", "off"}, {"REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"}}});
  }

  TempDirectory folder;
};

TEST_F(OpenApiDocument, PassesTheLinterOfRedocly) {
  // The paths of the interface are ambiguous by this rule; literal segments take precedence.
  const Finished linted = there(npm_program("redocly") +
                                " lint --extends recommended --skip-rule no-ambiguous-paths openapi.json");
  EXPECT_EQ(linted.status, 0) << linted.standard_output << linted.standard_error;
  EXPECT_EQ((linted.standard_output + linted.standard_error).find("warning"), std::string::npos)
      << linted.standard_output << linted.standard_error;
}

/// The body of a request in the form of an example.
struct ExampleRequest {
  std::string method;
  std::string path;
  json::value body;
};

std::vector<ExampleRequest> example_requests(const json::value& document) {
  std::vector<ExampleRequest> requests;
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    std::string target(path);
    for (auto begin = target.find('{'); begin != std::string::npos; begin = target.find('{'))
      target.replace(begin, target.find('}') - begin + 1, "1f0e3dad-9990-4345-b743-9f8ffabdffc4");
    for (const auto& [method, operation] : methods.as_object()) {
      const auto* const body = operation.as_object().if_contains("requestBody");
      const auto* const content =
          body == nullptr ? nullptr : body->at("content").as_object().if_contains("application/json");
      if (content == nullptr || !content->as_object().contains("example")) continue;
      std::string verb(method);
      for (char& c : verb) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      requests.push_back({verb, target, content->at("example")});
    }
  }
  return requests;
}

TEST_F(OpenApiDocument, EveryExampleOfARequestIsAccepted) {
  // These need a secret of a mail or a session of a user, and a store that answers.
  const std::set<std::string> need_more{"/api/user/verify", "/api/user/accept-invitation",
                                        "/api/user/reset-password", "/api/user/change-password",
                                        "/api/integrations/provider/configure"};
  TestDatabase database;
  const Waybill api(database.url(), {.command = "api"});
  Http http = api.http(api.token("examples", "unlimited"));
  std::ifstream file(folder / "openapi.json");
  const json::value document = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  const auto requests = example_requests(document);
  EXPECT_GT(requests.size(), 60U);
  for (const auto& [method, path, body] : requests) {
    if (need_more.contains(path)) continue;
    const Response response = http.request(method, path, body);
    // The guids of the examples name no records of this business.
    EXPECT_TRUE(response.status < 400 || response.status == 404 || response.status == 409 ||
                response.status == 401 || response.status == 403)
        << method << ' ' << path << ' ' << json::serialize(body) << "\n"
        << response.status << ' ' << response.text;
  }
}

TEST_F(OpenApiDocument, GeneratesATypeScriptClientThatCompilesAndWorks) {
  for (const char* file : {"client.ts", "tsconfig.json"}) fs::copy(npm_folder() / file, folder / file);
  std::ofstream(folder / "package.json") << R"({"type": "module"})";
  const Finished generated = there(npm_program("openapi-typescript") + " openapi.json -o schema.ts");
  ASSERT_EQ(generated.status, 0) << generated.standard_output << generated.standard_error;
  const Finished compiled = there(npm_program("tsc"));
  ASSERT_EQ(compiled.status, 0) << compiled.standard_output << compiled.standard_error;

  TestDatabase database;
  const Waybill api(database.url(), {.command = "api"});
  const Finished called =
      there("node client.js http://127.0.0.1:" + std::to_string(api.port()) + " " + api.token("client"));
  EXPECT_EQ(called.status, 0) << called.standard_output << called.standard_error;
  EXPECT_EQ(database.value("select guid from orders") + "\n", called.standard_output);
}

}  // namespace
}  // namespace waybill::tests
