#include "worker/guard/pauses.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/observe.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::worker {
namespace {

net::MailMessage mail_of(const PauseNotice& notice) {
  net::MailMessage mail{.subject = "The workflow \"" + notice.workflow_name + "\" was paused",
                        .text = "The workflow \"" + notice.workflow_name + "\" of " + notice.business_name +
                                " was paused because " + notice.reason + ".\n\n" + notice.until_resumed +
                                "\n\nThe guid of the workflow is " + notice.workflow_id.to_string() + ".\n",
                        .headers = {{"Auto-Submitted", "auto-generated"}}};  // RFC 3834 section 5
  for (const auto line : std::views::split(notice.contacts, '\n')) {
    const std::string_view address(line.begin(), line.end());
    if (net::parse_mailbox(address)) mail.to.emplace_back(address);
  }
  return mail;
}

}  // namespace

std::optional<Paused> pause(storage::blocking::Connection& session, const PauseRequest& request) {
  const auto rows = session.run(sql::workflows::Pause{
      .business = request.business_id, .workflow = request.workflow_id, .reason = request.reason});
  if (rows.empty()) return std::nullopt;
  observe(Observable::workflow_paused,
          {{"workflow", request.workflow_id.to_string()}, {"reason", std::string_view(request.reason)}});
  return Paused{request.workflow_id, static_cast<std::uint64_t>(rows.front().epoch)};
}

std::vector<Paused> pause_and_mail(storage::blocking::Connection& session, const SecretBox& secrets,
                                   std::span<const PauseNotice> notices) {
  std::vector<Paused> paused;
  if (notices.empty()) return paused;
  std::vector<Guid> businesses;
  std::vector<Guid> workflows;
  std::vector<std::int64_t> epochs;
  std::vector<std::string> reasons;
  std::vector<std::optional<Guid>> mails;
  std::vector<std::optional<std::string>> sealed_mails;
  for (const PauseNotice& notice : notices) {
    businesses.push_back(notice.business_id);
    workflows.push_back(notice.workflow_id);
    epochs.push_back(static_cast<std::int64_t>(notice.epoch));
    reasons.push_back(notice.reason);
    const Guid guid = Guid::random();
    const net::MailMessage mail = mail_of(notice);
    const bool has_recipient = !mail.to.empty();
    mails.push_back(has_recipient ? std::optional(guid) : std::nullopt);
    sealed_mails.push_back(has_recipient ? std::optional(net::seal_mail(secrets, guid, mail)) : std::nullopt);
  }
  const auto rows = session.run(sql::workflows::PauseAndMail{.businesses = businesses,
                                                             .workflows = workflows,
                                                             .epochs = epochs,
                                                             .reasons = reasons,
                                                             .mails = mails,
                                                             .sealed_mails = sealed_mails});
  for (const auto& row : rows) {
    const auto notice = std::ranges::find(notices, row.guid, &PauseNotice::workflow_id);
    observe(Observable::workflow_paused, {{"workflow", row.guid.to_string()}, {"reason", notice->reason}});
    paused.push_back({row.guid, static_cast<std::uint64_t>(row.epoch)});
  }
  return paused;
}

}  // namespace waybill::worker
