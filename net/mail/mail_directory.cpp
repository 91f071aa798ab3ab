#include "net/mail/mail_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/database_clock.hpp"
#include "base/durable_file.hpp"
#include "base/observe.hpp"
#include "net/mail/mail_domain.hpp"

namespace waybill::net {
namespace {

constexpr std::string_view owner_header = "X-Waybill-Business: ";
constexpr std::size_t longest_head = 65'536;

std::string owner_line(std::string_view owner) {
  if (owner.empty()) return {};
  return std::string(owner_header).append(owner).append("\r\n");
}

/// The header lines of a written mail, each whole; the owner's line is the first.
std::vector<std::string> header_lines(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t size = 0; size < longest_head && std::getline(file, line) && line != "\r";) {
    size += line.size();
    if (line.ends_with('\r')) line.pop_back();
    if ((line.starts_with(' ') || line.starts_with('\t')) && !lines.empty()) {
      lines.back() += line;
    } else {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// True if the header is To or Cc and contains the address. A quoted name may contain commas, so mailboxes
/// are not parsed: the address must stand between separators.
bool is_to(std::string_view header, std::string_view address) {
  const auto text = ascii_lower(header);
  if (!text.starts_with("to:") && !text.starts_with("cc:")) return false;
  const auto wanted = ascii_lower(address);
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    const auto end = at + wanted.size();
    const bool begins = std::string_view(": <,").find(text[at - 1]) != std::string_view::npos;
    const bool ends = end == text.size() || std::string_view(" >,").find(text[end]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

void delete_mails(const std::filesystem::path& directory, std::string_view owner,
                  std::span<const std::string> addresses) {
  if (!std::filesystem::exists(directory)) return;
  const auto line = std::string(owner_header).append(owner);
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".eml") continue;
    const auto head = header_lines(entry.path());
    if (head.empty() || head.front() != line) continue;
    const bool is_theirs = std::ranges::any_of(addresses, [&](std::string_view address) {
      return std::ranges::any_of(head, [&](const std::string& header) {
        return is_to(header, address) || is_to(header, ascii_domain_address(address));
      });
    });
    if (is_theirs) std::filesystem::remove(entry.path());
  }
}

std::optional<std::string> mail_directory_fault(const std::filesystem::path& directory) {
  std::error_code unreadable;
  auto existing = std::filesystem::absolute(directory);
  while (!std::filesystem::exists(existing, unreadable) && existing.has_relative_path())
    existing = existing.parent_path();
  // The last slash makes a file a fault, too.
  if (::access((existing / "").c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return std::generic_category().message(errno);
}

DirectoryMailer::DirectoryMailer(std::filesystem::path directory) : directory_(std::move(directory)) {}

void DirectoryMailer::end(Moment /*until*/) {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void DirectoryMailer::transmit(MailMessage message, Done done) {
  {
    const Lock lock(mutex_);
    inbox_.emplace_back(std::move(message), std::move(done));
  }
  arrived_.notify_one();
}

void DirectoryMailer::run() {
  std::vector<Incoming> taken;
  bool stopping = false;
  while (!stopping) {
    {
      Lock lock(mutex_);
      arrived_.wait(lock, [this]() REQUIRES(mutex_) { return stopping_ || !inbox_.empty(); });
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
  const auto now = database_clock().now();
  // The number orders the mails of one millisecond.
  const auto number = std::to_string(1'000'000 + written_++ % 1'000'000).substr(1);
  auto name = format_timestamp(now) + "-" + number + "-" + hex(random_bytes(8)) + ".eml";
  std::erase(name, ':');
  try {
    if (std::filesystem::create_directories(directory_)) {
      std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    }
    write_durably(directory_ / name, owner_line(message.owner) + format_mail(message, now));
  } catch (const std::system_error& error) {
    return {MailResult::temporary, error.what()};
  }
  observe(Observable::mail_written, {{"file", name}});
  return {MailResult::sent, {}};
}

}  // namespace waybill::net
