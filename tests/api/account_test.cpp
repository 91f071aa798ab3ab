#include "tests/api/account_test.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/harness/eventually.hpp"

namespace waybill::tests {

AccountTest::AccountTest() {
  // All tests come from one address.
  world.database.exec("delete from login_failures");
}

std::string AccountTest::fresh_address() {
  static int count = 0;
  return "user" + std::to_string(++count) + "@example.com";
}

json::object AccountTest::registration(std::string_view email, const json::object& more) {
  json::object body{{"email", email},         {"password", good_password},
                    {"firstName", "Ada"},     {"confirmPassword", good_password},
                    {"lastName", "Lovelace"}, {"acceptedTerms", true}};
  for (const auto& [name, value] : more) body[name] = value;
  return body;
}

std::vector<std::string> AccountTest::mails_to(std::string_view email, std::size_t count) {
  const auto to = "\r\nTo: " + std::string(email) + "\r\n";
  std::vector<std::string> found;
  eventually([&] {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(mail_world.mails.path())) {
      if (entry.path().extension() == ".eml") files.insert(entry.path());
    }
    found.clear();
    for (const auto& path : files) {
      std::ifstream file(path);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      if (text.find(to) != std::string::npos) found.push_back(std::move(text));
    }
    return found.size() >= count;
  });
  return found;
}

std::string AccountTest::mailed_token(std::string_view email, std::size_t count) {
  const auto mails = mails_to(email, count);
  if (mails.empty()) throw std::runtime_error("no mail to " + std::string(email));
  const auto start = mails.back().find("\r\nwb_");
  if (start == std::string::npos) throw std::runtime_error("no token in " + mails.back());
  return mails.back().substr(start + 2, mails.back().find("\r\n", start + 2) - start - 2);
}

void AccountTest::make_account(const std::string& email) {
  const auto registered = http.post("/api/user/register", registration(email));
  if (registered.status != 201) throw std::runtime_error("register: " + registered.text);
  const auto verified = http.post("/api/user/verify", {{"token", mailed_token(email)}});
  if (verified.status != 200) throw std::runtime_error("verify: " + verified.text);
}

Response AccountTest::log_in(const std::string& email, std::string_view password) {
  return http.post("/api/user/login", {{"email", email}, {"password", password}});
}

Http AccountTest::session(const std::string& email) {
  const auto response = log_in(email);
  if (response.status != 200) throw std::runtime_error("login: " + response.text);
  return world.waybill.http(text_at(response.data(), "token"));
}

Http AccountTest::new_user(const std::string& email) {
  make_account(email);
  return session(email);
}

Http AccountTest::new_owner() {
  auto owner = new_user();
  const auto made = owner.post("/api/business", {{"name", "Acme"}, {"email", "acme@example.com"}});
  if (made.status != 201) throw std::runtime_error("business: " + made.text);
  return owner;
}

Http AccountTest::new_member(Http& owner, std::string_view role) {
  const auto email = fresh_address();
  const auto invited = owner.post("/api/business/users", {{"email", email}, {"role", role}});
  if (invited.status != 201) throw std::runtime_error("invite: " + invited.text);
  const auto accepted = http.post(
      "/api/user/accept-invitation",
      {{"token", mailed_token(email)}, {"password", good_password}, {"confirmPassword", good_password}});
  if (accepted.status != 200) throw std::runtime_error("accept: " + accepted.text);
  return session(email);
}

std::string AccountTest::user_guid(Http& user) { return text_at(user.get("/api/user/me").data(), "guid"); }

std::set<std::string> AccountTest::names_of(const json::value& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
  return names;
}

void AccountTest::expect_refused(const Response& response, int status, std::string_view code) {
  EXPECT_EQ(response.status, status) << response.text;
  EXPECT_EQ(response.error_code(), code) << response.text;
}

void AccountTest::expect_invalid(const Response& response, const std::vector<std::string>& fields) {
  expect_refused(response, 400, "VALIDATION_ERROR");
  const auto details = response.details();
  EXPECT_EQ(details.size(), fields.size()) << response.text;
  for (const auto& field : fields) EXPECT_TRUE(details.contains(field)) << field << " in " << response.text;
}

}  // namespace waybill::tests
