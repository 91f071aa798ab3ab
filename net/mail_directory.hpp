#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "net/mail.hpp"

namespace waybill::net {

/// Writes each message to a file of its own, `TIME-NUMBER-RANDOM.eml`, so that names sort by time, on a
/// thread of its own. A file is there whole and on disk, or not at all.
class DirectoryMailer final : public Mailer {
 public:
  explicit DirectoryMailer(std::filesystem::path directory);
  ~DirectoryMailer() override;

 private:
  using Incoming = std::pair<MailMessage, Done>;

  void transmit(MailMessage message, Done done) override;
  void run();
  MailOutcome write(const MailMessage& message);

  const std::filesystem::path directory_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Incoming> inbox_;  // under mutex_
  bool stopping_ = false;        // under mutex_
  std::size_t written_ = 0;      // of the thread
  std::thread thread_;
};

}  // namespace waybill::net
