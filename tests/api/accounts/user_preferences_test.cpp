// Saved views and settings of users.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/browser.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view views_path = "/api/user/views";
constexpr std::string_view settings_path = "/api/user/settings";

json::object view(const std::string& name, const std::string& query = "late=true") {
  return {{"name", name}, {"page", "shipments"}, {"query", query}};
}

class UserPreferences : public AccountTest {
 protected:
  static Response put(Http& user, const json::array& views) {
    return user.put(views_path, json::object{{"views", views}});
  }
  static std::vector<std::string> names(Http& user) {
    std::vector<std::string> found;
    const Response response = user.get(views_path);
    for (const json::value& each : at(response.body, "data.views").as_array())
      found.push_back(text_at(each, "name"));
    return found;
  }
  static std::string create_customer(Http& user, const json::object& fields) {
    const Response created = user.post("/api/v1/Customers", fields);
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }
};

TEST_F(UserPreferences, ViewsAreThoseOfTheUserWhateverTheRole) {
  Http owner = new_owner();
  Http viewer = new_member(owner, "viewer");
  EXPECT_TRUE(names(viewer).empty());
  const Response saved = put(viewer, {view("Late"), json::object{{"name", "All"}, {"page", "orders"}}});
  ASSERT_EQ(saved.status, 200) << saved.text;
  EXPECT_EQ(saved.data(), viewer.get(views_path).data());
  EXPECT_EQ(names(viewer), (std::vector<std::string>{"Late", "All"}));
  EXPECT_TRUE(at(saved.body, "data.views").as_array().at(1).at("query").is_null());
  EXPECT_TRUE(names(owner).empty());
  ASSERT_EQ(put(viewer, {}).status, 200);
  EXPECT_TRUE(names(viewer).empty());
}

TEST_F(UserPreferences, ViewsHaveLimits) {
  Http owner = new_owner();
  json::array views;
  for (int i = 0; i < 50; ++i) views.push_back(view("View " + std::to_string(i), std::string(2'000, 'q')));
  EXPECT_EQ(put(owner, views).status, 200);
  views.push_back(view("One more"));
  expect_invalid(put(owner, views), {"views"});
  expect_invalid(put(owner, {view("Long", std::string(2'001, 'q'))}), {"views[0].query"});
  expect_invalid(put(owner, {json::object{{"query", "x"}}}), {"views[0].name", "views[0].page"});
  expect_invalid(owner.put(views_path, json::object()), {"views"});
  EXPECT_EQ(names(owner).size(), 50U);
}

TEST_F(UserPreferences, AbsentSettingsStayAndNullUnsetsOne) {
  Http owner = new_owner();
  const json::value none = json::parse(R"({"language": null, "zone": null, "theme": null})");
  EXPECT_EQ(owner.get(settings_path).data(), none);
  const json::value chosen =
      json::parse(R"({"language": "pt-BR", "zone": "Europe/Lisbon", "theme": "dark"})");
  const Response saved = owner.put(settings_path, chosen);
  ASSERT_EQ(saved.status, 200) << saved.text;
  EXPECT_EQ(saved.data(), chosen);
  EXPECT_EQ(owner.get(settings_path).data(), chosen);
  ASSERT_EQ(put(owner, {view("Late")}).status, 200);
  EXPECT_EQ(owner.get(settings_path).data(), chosen) << "views are apart";
  expect_invalid(owner.put(settings_path, {{"language", "p_t"}, {"zone", "Mars"}, {"theme", "pink"}}),
                 {"language", "theme", "zone"});
  ASSERT_EQ(owner.put(settings_path, json::object()).status, 200);
  EXPECT_EQ(owner.get(settings_path).data(), chosen);
  EXPECT_EQ(owner.put(settings_path, {{"theme", "light"}, {"zone", nullptr}}).data(),
            json::parse(R"({"language": "pt-BR", "zone": null, "theme": "light"})"));
  EXPECT_EQ(owner.put(settings_path, {{"language", nullptr}, {"theme", nullptr}}).data(), none);
  EXPECT_EQ(names(owner).size(), 1U);
}

TEST_F(UserPreferences, TokensAndLinksHaveNone) {
  const std::string business = "Preferences of links";
  Http token = world.waybill.business(business);
  const Finished printed = run({waybill_binary(), "console-link", "--business", business, "--public-url",
                                "http://127.0.0.1:8080", "--database-url", world.database.url()},
                               {});
  ASSERT_EQ(printed.status, 0) << printed.standard_error;
  const std::string& text = printed.standard_output;
  Browser link(world.waybill.http());
  ASSERT_EQ(link.open_link(text.substr(text.find("#link=") + 6, 46)).status, 200);
  for (const std::string_view path : {views_path, settings_path}) {
    const Response of_token = token.get(path);
    expect_refused(of_token, 403, "FORBIDDEN");
    EXPECT_NE(of_token.text.find("API token"), std::string::npos) << of_token.text;
    const Response of_link = link.get(path);
    expect_refused(of_link, 403, "FORBIDDEN");
    EXPECT_NE(of_link.text.find("one-time link"), std::string::npos) << of_link.text;
  }
  expect_refused(put(token, {view("Late")}), 403, "FORBIDDEN");
  expect_refused(token.put(settings_path, json::object()), 403, "FORBIDDEN");
}

TEST_F(UserPreferences, AUserWithoutABusinessHasNone) {
  Http user = new_user();
  for (const std::string_view path : {views_path, settings_path})
    expect_refused(user.get(path), 403, "FORBIDDEN");
  expect_refused(put(user, {view("Late")}), 403, "FORBIDDEN");
  expect_refused(user.put(settings_path, {{"theme", "dark"}}), 403, "FORBIDDEN");
}

TEST_F(UserPreferences, TheRemovalOfTheUserRemovesThem) {
  Http owner = new_owner();
  Http member = new_member(owner, "viewer");
  const std::string guid = user_guid(member);
  ASSERT_EQ(put(member, {view("Late")}).status, 200);
  ASSERT_EQ(put(owner, {view("Mine")}).status, 200);
  const Response removed = owner.request("DELETE", "/api/business/users/" + guid, json::value());
  ASSERT_EQ(removed.status, 200) << removed.text;
  EXPECT_EQ(world.database.value("select count(*) from user_preferences where user_id = '" + guid + "'"),
            "0");
  EXPECT_EQ(names(owner).size(), 1U);
}

TEST_F(UserPreferences, AnErasureDeletesAndAnExportHasTheViewsThatNameThePerson) {
  Http owner = new_owner();
  Http viewer = new_member(owner, "viewer");
  const std::string customer =
      create_customer(owner, {{"name", "Zelda Fitz"}, {"email", "zelda.fitz@example.com"}});
  ASSERT_EQ(put(viewer, {view("Encoded", "search=zelda.fitz%40example.com"), view("Late"),
                         view("By name", "search=ZELDA+fitz"), view("About Zelda Fitz", "")})
                .status,
            200);
  ASSERT_EQ(put(owner, {view("Raw", "address=Zelda.Fitz@example.com"), view("Broken", "search=%zz")}).status,
            200);
  const Response exported = owner.get("/api/v1/Customers/" + customer + "/export");
  std::vector<std::string> found;
  for (const json::value& each : at(exported.body, "data.views").as_array())
    found.push_back(text_at(each, "name"));
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::string>{"About Zelda Fitz", "By name", "Encoded", "Raw"}));
  const Response erased = owner.post("/api/v1/Customers/" + customer + "/erase", json::object());
  ASSERT_EQ(erased.status, 200) << erased.text;
  EXPECT_EQ(names(viewer), std::vector<std::string>{"Late"});
  EXPECT_EQ(names(owner), std::vector<std::string>{"Broken"});
}

}  // namespace
}  // namespace waybill::tests
