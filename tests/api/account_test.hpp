#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/shared.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {

/// A waybill that writes its mails to a directory.
struct MailWorld {
  TempDirectory mails;
  World world{{.arguments = {"--mail-dir", mails.path()}}};
};

inline constexpr std::string_view good_password = "correct horse";

/// Tests of user accounts: they share one waybill, and each creates the accounts that it needs.
class AccountTest : public testing::Test {
 protected:
  AccountTest();

  /// An address that no other test has used.
  static std::string fresh_address();

  /// The required fields of a registration; `more` replaces or adds fields.
  static json::object registration(std::string_view email, const json::object& more = {});

  /// The mails to an address in order, as written, once there are `count`.
  std::vector<std::string> mails_to(std::string_view email, std::size_t count = 1);
  /// The token in the last of these mails.
  std::string mailed_token(std::string_view email, std::size_t count = 1);

  /// Registers an account and verifies its address.
  void make_account(const std::string& email);
  Response log_in(const std::string& email, std::string_view password = good_password);
  /// A client with a new session of a verified account.
  Http session(const std::string& email);
  /// A client of a new account without a business.
  Http new_user() { return new_user(fresh_address()); }
  Http new_user(const std::string& email);
  /// A client of the owner of a new business.
  Http new_owner();
  /// A client of a new user in the owner's business.
  Http new_member(Http& owner, std::string_view role);
  /// The guid of the client's user.
  std::string user_guid(Http& user);

  static std::set<std::string> names_of(const json::value& object);
  static void expect_refused(const Response& response, int status, std::string_view code);
  /// Expects 400 with exactly these fields in `details`.
  static void expect_invalid(const Response& response, const std::vector<std::string>& fields);

  MailWorld& mail_world = shared<MailWorld>();
  World& world = mail_world.world;
  Http http = world.waybill.http();  // without a token
};

}  // namespace waybill::tests
