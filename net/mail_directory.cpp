#include "net/mail_directory.hpp"

#include <algorithm>
#include <system_error>

#include "base/crypto.hpp"
#include "base/durable_file.hpp"
#include "base/observe.hpp"

namespace waybill::net {

DirectoryMailer::DirectoryMailer(std::filesystem::path directory)
    : directory_(std::move(directory)), thread_([this] { run(); }) {}

DirectoryMailer::~DirectoryMailer() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void DirectoryMailer::transmit(MailMessage message, Done done) {
  {
    const std::scoped_lock lock(mutex_);
    inbox_.emplace_back(std::move(message), std::move(done));
  }
  arrived_.notify_one();
}

void DirectoryMailer::run() {
  std::vector<Incoming> taken;
  bool stopping = false;
  while (!stopping) {
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return stopping_ || !inbox_.empty(); });
      taken.swap(inbox_);
      stopping = stopping_;
    }
    for (const auto& [message, done] : taken) {
      done(stopping ? MailOutcome{MailResult::temporary, "The mailer was stopped."} : write(message));
    }
    taken.clear();
  }
}

MailOutcome DirectoryMailer::write(const MailMessage& message) {
  const auto now = system_clock().now();
  // The number orders the mails of one millisecond.
  const auto number = std::to_string(1'000'000 + written_++ % 1'000'000).substr(1);
  auto name = format_timestamp(now) + "-" + number + "-" + hex(random_bytes(8)) + ".eml";
  std::erase(name, ':');
  try {
    if (std::filesystem::create_directories(directory_)) {
      std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    }
    write_durably(directory_ / name, format_mail(message, now));
  } catch (const std::system_error& error) {
    return {MailResult::temporary, error.what()};
  }
  observe(Observable::mail_written, {{"file", name}});
  return {MailResult::sent, {}};
}

}  // namespace waybill::net
