#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/thread/service.hpp"

namespace waybill::net {

/// An address and the name of its owner, which may be empty.
struct Mailbox {
  std::string name;
  std::string address;  // local@domain
};

/// `address`, `Name <address>` or `"Name" <address>` (RFC 5322 section 3.4, without comments and routes);
/// non-ASCII letters as in RFC 6532. nullopt for anything else.
std::optional<Mailbox> parse_mailbox(std::string_view text);

/// A message; all texts are UTF-8. `from` and `to` are mailboxes as parse_mailbox reads them.
struct MailMessage {
  std::string from;
  std::string sender_name;       // the sender's name in a sealed message, which has no `from`; may be empty
  std::vector<std::string> to;   // 1 to 100
  std::vector<std::string> cc;   // with `to` and `bcc` at most 100
  std::vector<std::string> bcc;  // in no header
  std::vector<std::string> remaining;  // the recipients not yet reached; all recipients if empty
  std::string reply_to;                // a mailbox; may be empty
  std::string subject;                 // control characters become spaces
  std::string text;                    // may be empty if html is not
  std::string html;                    // text only if empty
  std::vector<std::pair<std::string, std::string>> headers;  // additional headers
  std::string message_id;  // "<left@right>", the same for every attempt; random if empty
  std::string owner;       // owners share the time of the connections

  /// The recipients of this attempt.
  std::vector<std::string> recipients() const;
};

/// The mailbox as text that parse_mailbox reads.
std::string mailbox_text(const Mailbox& mailbox);

/// The mailbox `from` under another name. `from` itself if the name is empty or `from` is not a mailbox.
std::string named_sender(std::string_view from, std::string_view name);

/// Returns why a message cannot be sent, as a sentence: an invalid address, a forbidden header, text that is
/// not UTF-8. nullopt if it can be sent.
std::optional<std::string> mail_problem(const MailMessage& message);

/// The message in wire format (RFC 5322, 2045, 2046, 2047, 6532), with lines that end in CRLF. No field can
/// inject a header or a part. The message must have no mail_problem.
std::string format_mail(const MailMessage& message, Time date);

/// A Message-ID from `left` and the domain of `from`.
std::string message_id(std::string_view left, std::string_view from);

enum class MailResult {
  sent,           // accepted by the server, or written to the directory
  temporary,      // not sent; another attempt may succeed
  permanent,      // not sent; another attempt cannot succeed
  not_attempted,  // not sent, because too many other messages were waiting
  limited,        // not sent, because its owner has reached a limit
};

/// A recipient that the server refused although it accepted others.
struct MailRefusal {
  std::string to;  // as in the message
  bool is_final;   // false if another attempt may succeed
  std::string reply;
};

struct MailOutcome {
  MailResult result = MailResult::temporary;
  std::string reply;  // the server's last reply ("550 5.1.1 no such user") or a sentence; may be empty
  std::vector<MailRefusal> refused = {};               // for `sent`
  std::optional<Duration> retry_after = std::nullopt;  // for `limited`
};

/// Sends messages one by one. A crash loses them: the caller keeps a message until `done` is called, and may
/// send it twice with the same Message-ID.
class Mailer : public Service {
 public:
  using Done = std::function<void(MailOutcome)>;

  /// Ends the messages that are not sent yet as temporary.
  void stop(Moment until) final {
    if (!stopping_.exchange(true)) end(until);
  }
  /// True from the beginning of `stop`, so that the stop may be why a message was not sent. Any thread.
  bool is_stopping() const { return stopping_; }

  /// Calls `done` exactly once: on the mailer's thread, on that which stops the mailer, or on the caller's
  /// for a message with a mail_problem. `done` must not block or throw. Any thread, also from within `done`,
  /// until `stop` has returned.
  void send(MailMessage message, Done done);

 private:
  virtual void transmit(MailMessage message, Done done) = 0;
  virtual void end(Moment /*until*/) {}

  std::atomic<bool> stopping_ = false;
};

/// The server of `--smtp-url`.
struct SmtpServer {
  std::string url;  // smtp://host:port or smtps://host:port, without credentials
  std::string user;
  std::string password;
  bool allow_tls = true;  // false for ?tls=none
};

/// Reads `smtp[s]://[user:password@]host[:port][/][?tls=none]`; nullopt if malformed.
std::optional<SmtpServer> parse_smtp_url(std::string_view text);

struct MailOptions {
  std::string smtp_url;             // mails are written to `directory` if empty
  std::filesystem::path directory;  // created if it is missing
  std::string ca_file;              // additional CA certificates; only the system's if empty
  Duration connect_timeout = std::chrono::seconds(10);
  Duration total_timeout = std::chrono::seconds(60);  // for one message, from its turn on
  Duration longest_wait = std::chrono::seconds(60);   // a message's wait for its turn
  // Messages that wait for their turn. Beyond it, each owner has its share of them.
  std::size_t most_waiting = 512;
};

/// Sends by SMTP (net/mail/smtp.hpp) if there is a server, otherwise writes each mail atomically as an `.eml`
/// file. Throws std::invalid_argument for a malformed URL, std::runtime_error for a CA file that cannot be
/// read.
std::unique_ptr<Mailer> make_mailer(const MailOptions& options);

}  // namespace waybill::net
