#include "net/mail/mail_directory.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill::net {
namespace {

class MailDirectory : public testing::Test {
 protected:
  ~MailDirectory() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& owner, std::vector<std::string> to, std::vector<std::string> cc = {}) {
    DirectoryMailer mailer(directory_);
    std::promise<MailOutcome> done;
    mailer.send({.from = "shop@example.com",
                 .to = std::move(to),
                 .cc = std::move(cc),
                 .subject = "S",
                 .text = "x",
                 .owner = owner},
                [&](MailOutcome outcome) { done.set_value(std::move(outcome)); });
    ASSERT_EQ(done.get_future().get().result, MailResult::sent);
  }

  void delete_of(std::string_view owner, std::vector<std::string> addresses) const {
    delete_mails(directory_, owner, addresses);
  }

  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(directory_),
                         std::filesystem::directory_iterator());
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("waybill-mails-" + hex(random_bytes(8)));
};

TEST_F(MailDirectory, DeletesTheMailsOfAnOwnerToAnAddress) {
  write("one", {"ada@example.com"});
  write("one", {"bob@example.com", "\"Lovelace, Ada\" <Ada@Example.com>"});
  write("one", {"xada@example.com"});
  write("one", {"ada@example.com.example"});
  write("one", {"\"to ada@example.community\" <eve@example.com>"});
  write("two", {"ada@example.com"});
  write("", {"ada@example.com"});
  ASSERT_EQ(files(), 7);
  delete_of("one", {"ADA@example.com"});
  EXPECT_EQ(files(), 5);
  delete_of("two", {"ada@example.com"});
  EXPECT_EQ(files(), 4);
}

TEST_F(MailDirectory, FindsAnAddressByTheXnFormOfItsDomain) {
  write("one", {"Ann <ann@bücher.example>"});
  write("one", {"ann@xn--bcher-kva.example.com"});
  delete_of("one", {"ann@bücher.example"});
  EXPECT_EQ(files(), 1);
}

// The header has one line for each address.

TEST_F(MailDirectory, DeletesMailsWithTheAddressInCc) {
  write("one", {"bob@example.com"}, {"ada@example.com"});
  write("one", {"bob@example.com"}, {"eve@example.com", "Ada <Ada@Example.com>", "joe@example.com"});
  write("one", {"bob@example.com"}, {"eve@example.com", "xada@example.com"});
  write("two", {"bob@example.com"}, {"ada@example.com"});
  ASSERT_EQ(files(), 4);
  delete_of("one", {"ada@example.com"});
  EXPECT_EQ(files(), 2);
}

TEST_F(MailDirectory, DeletesTheMailsToEachAddress) {
  write("one", {"ada@example.com"});
  write("one", {"old.ada@example.com"});
  write("one", {"bob@example.com"});
  delete_of("one", {"ada@example.com", "old.ada@example.com"});
  EXPECT_EQ(files(), 1);
}

TEST_F(MailDirectory, ADirectoryThatIsMissingHasNoMails) {
  delete_of("one", {"ada@example.com"});
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(MailDirectory, ADirectoryThatIsMissingCanBeWrittenIfItsParentCan) {
  EXPECT_EQ(mail_directory_fault(directory_ / "data" / "mail"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(directory_));
  write("", {"ada@example.com"});
  EXPECT_EQ(mail_directory_fault(directory_), std::nullopt);
}

TEST_F(MailDirectory, ADirectoryBelowAFileCannotBeWritten) {
  std::ofstream(directory_) << "a file";
  EXPECT_EQ(mail_directory_fault(directory_), "Not a directory");
  EXPECT_EQ(mail_directory_fault(directory_ / "mail"), "Not a directory");
}

}  // namespace
}  // namespace waybill::net
