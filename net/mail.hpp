#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace waybill::net {

/// An address with the name of who has it, which may be empty.
struct Mailbox {
  std::string name;
  std::string address;  // local@domain
};

/// `address`, `Name <address>` or `"Name" <address>` (RFC 5322 section 3.4, without comments and routes);
/// letters beyond ASCII as in RFC 6532. nullopt for anything else.
std::optional<Mailbox> parse_mailbox(std::string_view text);

/// A message, all of it UTF-8. `from` and `to` are mailboxes as parse_mailbox reads them.
struct MailMessage {
  std::string from;
  std::vector<std::string> to;                               // 1 to 100
  std::vector<std::string> still_to;                         // of `to`, those who do not have it; empty: all
  std::string subject;                                       // control characters become spaces
  std::string text;                                          // may be empty when there is html
  std::string html;                                          // empty: text alone
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  std::string message_id;  // "<left@right>", the same for every try; empty: a random one
  std::string owner;       // whose it is: the messages of different owners take turns at the server

  /// Whom it is sent to.
  const std::vector<std::string>& asked() const { return still_to.empty() ? to : still_to; }
};

/// Why a message cannot be sent as it stands, as a sentence: a bad address, a header of a forbidden name,
/// text that is no UTF-8; nullopt when it can.
std::optional<std::string> mail_problem(const MailMessage& message);

/// The whole message as it goes over the wire (RFC 5322, 2045, 2046, 2047, 6532), lines ending in CRLF.
/// Nothing in the message's fields can add a header or a part. Of a message without mail_problem.
std::string format_mail(const MailMessage& message, Time date);

/// A Message-ID of `left` at the domain of `from`.
std::string message_id(std::string_view left, std::string_view from);

enum class MailResult {
  sent,       // the server (or the disk) has it
  temporary,  // nobody has it; trying again may help
  permanent,  // it will never be taken as it is
  not_tried,  // too many were before it; nobody has it
  limited,    // its owner may not send more at this time; nobody has it
};

/// Whom the server refused, though others have the message.
struct MailRefusal {
  std::string to;  // as the message has it
  bool is_final;   // false: trying again may help
  std::string reply;
};

struct MailOutcome {
  MailResult result = MailResult::temporary;
  std::string
      reply;  // the server's last words ("550 5.1.1 no such user"), or a sentence; may be empty when sent
  std::vector<MailRefusal> refused = {};               // of one that was sent
  std::optional<Duration> retry_after = std::nullopt;  // of one that was limited
};

/// Sends messages one by one. What happens in a crash is the caller's matter, who keeps a message until
/// `done` was called, and may then send it twice under one Message-ID.
class Mailer {
 public:
  using Done = std::function<void(MailOutcome)>;

  /// What is still to be sent ends as temporary.
  virtual ~Mailer() = default;

  /// May be called from any thread, also from within `done`. `done` is called exactly once, on the mailer's
  /// thread or, for a message that has a mail_problem, on the caller's; it must not block or throw.
  void send(MailMessage message, Done done);

 private:
  virtual void transmit(MailMessage message, Done done) = 0;
};

/// A server as `--smtp-url` names it.
struct SmtpServer {
  std::string url;  // smtp://host:port or smtps://host:port, without credentials
  std::string user;
  std::string password;
  bool allow_tls = true;  // false: ?tls=none
};

/// nullopt when the text is no URL `smtp[s]://[user:password@]host[:port][/][?tls=none]`.
std::optional<SmtpServer> parse_smtp_url(std::string_view text);

struct MailOptions {
  std::string smtp_url;             // empty: mails are written to `directory`
  std::filesystem::path directory;  // made when it is missing
  std::string ca_file;              // further CA certificates; empty for the system's alone
  Duration connect_timeout = std::chrono::seconds(10);
  Duration total_timeout = std::chrono::seconds(60);  // of one message, from when its turn has come
  Duration longest_wait = std::chrono::seconds(60);   // for its turn
  std::size_t most_waiting = 512;                     // for theirs
};

/// By SMTP (net/smtp.hpp) when there is a server, otherwise as `.eml` files, each written whole or not at
/// all. Throws std::invalid_argument for a URL that is none, std::runtime_error for a CA file that cannot be
/// read.
std::unique_ptr<Mailer> make_mailer(const MailOptions& options);

}  // namespace waybill::net
