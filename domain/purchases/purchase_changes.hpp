#pragma once

#include "domain/purchases/purchase.hpp"

// Parts of the changes of a purchase, for the files that have its functions.
namespace waybill::domain::purchases {

/// True for a bought label whose bytes are still to be fetched.
bool lacks_label(const Purchase& purchase);

/// True for a label on the word of a person, which the gateway may confirm.
bool awaits_confirmation(const Purchase& purchase);

/// Sets the time of the next step after a change. `failure`: a call failed.
void schedule(Purchase& purchase, Time now, const FailedCall* failure = nullptr);

/// Changes the status, and begins its schedule.
Effect move(Purchase& purchase, PurchaseStatus to, Time now);

/// Ends a change that keeps the status.
Effect note(Purchase& purchase, Time now, const FailedCall* failure = nullptr);

void set_error(Purchase& purchase, PurchaseMessage message);
void set_label(Purchase& purchase, const BoughtFacts& label);

Effect become_unknown(Purchase& purchase, PurchaseMessage message, Time now);

/// A look-up shows no label.
Effect nothing_bought(Purchase& purchase, bool has_draft, Time now);

/// A look-up shows a label that was taken back.
Effect take_voided(Purchase& purchase, const VoidedFacts& found, Time now);

Effect end_void(Purchase& purchase, Time now);
Effect refuse_void(Purchase& purchase, Time now);

}  // namespace waybill::domain::purchases
