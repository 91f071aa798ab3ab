#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/customers/customer_erasure.hpp"
#include "api/customers/erasure_steps.hpp"
#include "api/customers/left_records.hpp"
#include "api/customers/newest_texts.hpp"
#include "api/customers/person.hpp"
#include "base/secret_box.hpp"

namespace waybill::api {

/// Erases everything about a person but the runs. `target` must outlive it, and it must outlive its steps.
class PersonEraser {
 public:
  PersonEraser(const SecretBox& secrets, const ErasureTarget& target)
      : secrets_(secrets), target_(target), search_(target.business, customers_) {}
  PersonEraser(const PersonEraser&) = delete;
  PersonEraser& operator=(const PersonEraser&) = delete;

  std::vector<Step> steps();
  /// Deletes written mails to the person.
  void delete_files() const;
  /// Folds the changes of the business's own data, which hold values from before the erasure.
  Step forget_changes_of_own_data() const;
  /// Deletes the stored state of the erasure, which is then complete.
  Step end() const;

  /// The customers that are the person: that of the target, and deleted ones.
  const std::vector<Guid>& customers() const { return customers_; }
  /// The records that the steps found.
  const RecordSearch& search() const { return search_; }
  const ErasedCounts& counts() const { return counts_; }
  /// Other customers that had the person among their contacts, also those that an interrupted erasure found.
  const std::vector<Guid>& contact_of() const { return contact_of_; }

 private:
  using Source = std::function<Records()>;
  using Method = void (PersonEraser::*)(storage::Session&);

  Step once(Method method);
  bool lock_customer(storage::Session& session, const Guid& customer) const;
  void read_person(storage::Session& session);
  void read_texts(storage::Session& session);
  void begin_erasure(storage::Session& session);
  void erase_person(storage::Session& session, const Guid& customer);
  void note_counts(storage::Session& session);

  void add_search_of_words(std::vector<Step>& steps);
  void add_erasing_of_records(std::vector<Step>& steps);
  void add_erasing_of_texts(std::vector<Step>& steps);
  void add_erasing_of_versions(std::vector<Step>& steps);
  void add_events_and_notes(std::vector<Step>& steps, const Source& records);

  template <typename Statement>
  Step erase_records(const Source& records);
  Step erase_events(const Source& records);
  Step erase_notes(const Source& records);
  Step erase_left_texts();
  Step erase_contacts();
  Step erase_contacts_in_events();
  void keep_contact_of(storage::Session& session, const std::vector<Guid>& changed);
  Step erase_mails();
  Step erase_addresses();
  Step erase_saved_views();
  Step erase_record_answers();
  Step erase_other_answers();
  void erase_answer(storage::Session& session, const auto& answer) const;

  const SecretBox& secrets_;
  const ErasureTarget& target_;
  std::vector<Guid> customers_;
  RecordSearch search_;
  Person person_;
  NewestTexts<std::string, Time> new_words_, new_left_words_;
  std::vector<std::string> record_words_;
  std::vector<std::string> words_;  // of the person, and of the person's orders and shipments
  std::vector<Guid> unlinked_;
  std::vector<Guid> contact_of_;
  ErasedCounts counts_;
};

}  // namespace waybill::api
