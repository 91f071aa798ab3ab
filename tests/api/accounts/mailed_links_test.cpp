// The pages to which mailed links lead.
#include <regex>

#include <gtest/gtest.h>

#include "tests/api/fixtures/account_fixture.hpp"

namespace waybill::tests {
namespace {

class MailedLinks : public AccountTest {
 protected:
  /// The paths of this server in an attribute of a page.
  static std::vector<std::string> named(const std::string& page, const std::string& attribute) {
    std::vector<std::string> found;
    const std::regex pattern(attribute + "=\"([^\"]*)\"");
    for (auto each = std::sregex_iterator(page.begin(), page.end(), pattern); each != std::sregex_iterator();
         ++each)
      found.push_back("/" + (*each)[1].str());
    return found;
  }

  /// Checks that the page's files exist and that it calls one endpoint; returns the endpoint.
  std::string endpoint_of(const std::string& path) {
    const Response page = http.get(path);
    EXPECT_EQ(page.status, 200) << page.text;
    EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(page.header("Cache-Control"), "no-store") << "its URL contains a token";
    EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
    EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(http.get(named(page.text, "href").at(0)).header("Content-Type"), "text/css; charset=utf-8");
    EXPECT_EQ(http.get(named(page.text, "src").at(0)).header("Content-Type"),
              "text/javascript; charset=utf-8");
    return named(page.text, "data-endpoint").at(0);
  }
};

TEST_F(MailedLinks, LeadToAPageThatCallsTheEndpointOfTheMail) {
  const auto email = fresh_address();
  ASSERT_EQ(http.post("/api/user/register", registration(email)).status, 201);
  const auto token = mailed_token(email);
  EXPECT_EQ(endpoint_of("/verify?token=" + token), "/api/user/verify");
  EXPECT_EQ(log_in(email).status, 403) << "following the link, as mail scanners do, does not use the token";
  EXPECT_EQ(http.post("/api/user/verify", {{"token", token}}).status, 200);
  EXPECT_EQ(endpoint_of("/accept-invitation?token=" + token), "/api/user/accept-invitation");
  EXPECT_EQ(endpoint_of("/reset-password?token=" + token), "/api/user/reset-password");
}

}  // namespace
}  // namespace waybill::tests
