#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"
#include "net/mail/mail.hpp"

namespace waybill::net {

/// Deletes the written mails of an owner (MailMessage::owner) that have an address in To or Cc, which is
/// compared without regard to case. Files that cannot be read are left. Throws
/// std::filesystem::filesystem_error.
void delete_mails(const std::filesystem::path& directory, std::string_view owner,
                  std::span<const std::string> addresses);

/// Returns why this process cannot write mails to the directory, or cannot create it with the first mail;
/// nullopt if it can. Changes nothing.
std::optional<std::string> mail_directory_fault(const std::filesystem::path& directory);

/// Writes each message to a file `TIME-NUMBER-RANDOM.eml`, whose names sort by time, on its own thread. Files
/// are written atomically and durably. A header names the owner of the message.
class DirectoryMailer final : public Mailer {
 public:
  explicit DirectoryMailer(std::filesystem::path directory);
  ~DirectoryMailer() override { stop_at_once(); }

 private:
  using Incoming = std::pair<MailMessage, Done>;

  void transmit(MailMessage message, Done done) override;
  void end(Moment until) override;
  void run();
  MailOutcome write(const MailMessage& message);

  const std::filesystem::path directory_;
  Mutex mutex_;
  Condition arrived_;
  std::vector<Incoming> inbox_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::size_t written_ = 0;  // used by thread_ only
  Thread thread_{ThreadKind::mailer, [this](const std::stop_token&) { run(); }};
};

}  // namespace waybill::net
