import {numeral} from '../../api/numeral';
import type {RecipeName} from '../../texts/recipes';
import type {JsonObject} from './json';

/** The workflows of docs/recipes.md by their use; recipes.test.ts compares them. */
export const recipes: Record<'delays' | 'sorting' | 'work' | 'customer', Partial<Record<RecipeName, JsonObject>>> = {
  delays: {
    lateShipment: {
      name: 'Late shipment',
      entityType: 'Shipment',
      timer: {field: 'estimatedDelivery', offset: 'PT12H'},
      conditions: {status: {nin: ['delivered', 'returned', 'cancelled']}},
      action: {type: 'webhook', recipient: 'https://example.com/late'},
    },
    noScanForADay: {
      name: 'No scan for a day',
      entityType: 'Shipment',
      timer: {field: 'lastTraceAt', offset: 'PT24H'},
      conditions: {status: {in: ['collected', 'in_transit', 'out_for_delivery']}},
      action: {type: 'webhook', recipient: 'https://example.com/silent'},
    },
    chatOnException: {
      name: 'Chat on exception',
      entityType: 'Shipment',
      triggers: ['shipment_exception'],
      limit: {by: 'carrier.guid', count: numeral(10), per: 'PT1H'},
      action: {
        type: 'webhook',
        recipient: 'https://example.com/chat',
        template: '{"text": "Parcel {{trackingNumber}} needs attention."}',
      },
    },
    escalateWhenNoScanComes: {
      name: 'Escalate when no scan comes',
      entityType: 'Shipment',
      triggers: ['shipment_collected'],
      steps: [
        {type: 'wait', name: 'scan', for: {triggers: ['shipment_trace_added']}, atMost: 'P1D'},
        {
          type: 'webhook',
          when: {'steps.scan.timedOut': true},
          recipient: 'https://example.com/desk',
        },
      ],
    },
    exceptionInTwoStages: {
      name: 'Exception in two stages',
      entityType: 'Shipment',
      triggers: ['shipment_exception'],
      steps: [
        {type: 'webhook', recipient: 'https://example.com/team'},
        {type: 'wait', name: 'moved', for: {triggers: ['shipment_status_changed']}, atMost: 'PT4H'},
        {
          type: 'webhook',
          when: {'steps.moved.timedOut': true},
          recipient: 'https://example.com/lead',
        },
      ],
    },
  },
  sorting: {
    giftOrder: {
      name: 'Gift order',
      entityType: 'Order',
      triggers: ['order_created'],
      conditions: {'metadata.gift': true},
      action: {
        type: 'update_record',
        set: {tags: {add: ['gift']}, notes: 'Gift: no invoice in the parcel.'},
      },
    },
    tagByCountry: {
      name: 'Tag by country',
      entityType: 'Order',
      triggers: ['order_created'],
      conditions: {'deliveryAddress.country': {exists: true, ne: 'GB'}},
      action: {type: 'update_record', set: {tags: {add: ['export']}}},
    },
    approvalOfHighValues: {
      name: 'Approval of high values',
      entityType: 'Order',
      triggers: ['order_created'],
      conditions: {totalValue: {gte: numeral(1000)}, status: 'pending'},
      steps: [
        {type: 'update_record', set: {tags: {add: ['approval']}}},
        {type: 'webhook', recipient: 'https://example.com/approve'},
        {type: 'wait', delay: 'PT24H'},
        {type: 'stop', when: {status: {ne: 'pending'}}},
        {type: 'webhook', recipient: 'https://example.com/approve-again'},
      ],
    },
  },
  work: {
    shipImportedOrders: {
      name: 'Ship imported orders',
      entityType: 'Order',
      triggers: ['order_created', 'order_status_changed'],
      conditions: {'source.type': 'import', status: 'processing'},
      action: {type: 'create_shipment'},
    },
    dailyReport: {
      name: 'Daily report',
      entityType: 'Order',
      schedule: {cron: '0 8 * * mon-fri', timezone: 'Europe/London'},
      query: {filter: 'status eq \'pending\'', orderBy: 'createdAt', limit: numeral(100)},
      runWhenEmpty: true,
      action: {
        type: 'webhook',
        recipient: 'https://example.com/daily',
        template: '{"text": "{{count}} orders wait.{{#items}} {{orderNumber}}{{/items}}"}',
      },
    },
    dailyDigestForTheWarehouse: {
      name: 'Daily digest for the warehouse',
      entityType: 'Order',
      triggers: ['order_cancelled'],
      digest: {by: 'deliveryAddress.country', every: 'P1D', max: numeral(500)},
      action: {
        type: 'webhook',
        recipient: 'https://example.com/warehouse',
        template: '{"text": "{{count}} orders to {{by}} are cancelled: {{#items}}{{orderNumber}} {{/items}}"}',
      },
    },
    remindAfterTwoDays: {
      name: 'Remind after two days',
      entityType: 'Order',
      timer: {field: 'statusChangedAt', offset: 'P2D'},
      conditions: {status: 'pending'},
      action: {type: 'webhook', recipient: 'https://example.com/remind'},
    },
    askAndDecide: {
      name: 'Ask and decide',
      entityType: 'Order',
      triggers: ['order_created'],
      steps: [
        {
          type: 'webhook',
          name: 'stock',
          recipient: 'https://example.com/stock',
          answer: {left: 'number'},
        },
        {
          type: 'choose',
          when: {'steps.stock.answer.left': {gte: numeral(1)}},
          then: [{type: 'create_shipment'}],
          otherwise: [
            {type: 'update_record', set: {tags: {add: ['out of stock']}}},
            {
              type: 'webhook',
              recipient: 'https://example.com/buyers',
              template: '{"order": "{{orderNumber}}", "left": {{steps.stock.answer.left}}}',
            },
          ],
        },
      ],
    },
    remindUnlessShipped: {
      name: 'Remind unless shipped',
      entityType: 'Order',
      triggers: ['order_created'],
      delay: 'P2D',
      cancelOn: {triggers: ['order_shipped', 'order_delivered', 'order_cancelled']},
      action: {type: 'webhook', recipient: 'https://example.com/remind'},
    },
    holdUntilPayment: {
      name: 'Hold until payment',
      entityType: 'Order',
      triggers: ['order_created'],
      cancelOn: {triggers: ['order_cancelled']},
      steps: [
        {type: 'wait', name: 'payment', for: {conditions: {'metadata.paid': true}}, atMost: 'P3D'},
        {
          type: 'choose',
          when: {'steps.payment.timedOut': true},
          then: [{type: 'update_status', status: 'cancelled'}],
          otherwise: [{type: 'create_shipment'}],
        },
      ],
    },
    reportTheLastChange: {
      name: 'Report the last change',
      entityType: 'Order',
      triggers: ['order_updated'],
      delay: 'PT5M',
      cancelOn: {triggers: ['order_updated']},
      action: {type: 'webhook', recipient: 'https://example.com/changed'},
    },
    cheapestLabel: {
      name: 'Cheapest label',
      entityType: 'Order',
      triggers: ['order_status_changed'],
      conditions: {status: 'ready'},
      steps: [
        {type: 'create_shipment'},
        {
          type: 'buy_label',
          name: 'label',
          choose: 'cheapest',
          maxPrice: numeral(12),
          onFailure: 'continue',
        },
        {
          type: 'webhook',
          when: {'steps.label.status': {ne: 'succeeded'}},
          recipient: 'https://example.com/desk',
        },
      ],
    },
    dearLabel: {
      name: 'Dear label',
      entityType: 'Shipment',
      triggers: ['shipment_label_bought'],
      conditions: {'purchase.price': {gt: numeral(20)}, 'purchase.currency': 'EUR'},
      action: {
        type: 'send_email',
        recipient: 'shipping@example.com',
        subject: 'A label of {{purchase.price}} {{purchase.currency}}',
        body: '{{carrier.name}} charged {{purchase.price}} {{purchase.currency}} for {{trackingNumber}}.',
      },
    },
  },
  customer: {
    smsOnDelivery: {
      name: 'SMS on delivery',
      entityType: 'Shipment',
      triggers: ['shipment_delivered'],
      conditions: {'recipient.phone': {exists: true}},
      window: {days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '09:00', to: '21:00'},
      action: {
        type: 'webhook',
        recipient: 'https://example.com/Accounts/AC123/Messages.json',
        contentType: 'application/x-www-form-urlencoded',
        template: 'To={{recipient.phone}}&From=%2B15550100&Body=Your+parcel+{{trackingNumber}}+has+arrived.',
        headers: {Authorization: 'Basic a2V5OnNlY3JldA=='},
      },
    },
    mailOnDelivery: {
      name: 'Mail on delivery',
      entityType: 'Shipment',
      triggers: ['shipment_delivered'],
      conditions: {'customer.email': {exists: true}},
      action: {
        type: 'send_email',
        recipient: '{{customer.email}}',
        subject: 'Your parcel has arrived',
        body: 'Hello {{customer.name}},\n{{carrier.name}} has delivered your parcel {{carrierTrackingNumber}}.',
      },
    },
    oneMessageForSeveralParcels: {
      name: 'One message for several parcels',
      entityType: 'Shipment',
      triggers: ['shipment_out_for_delivery'],
      conditions: {'recipient.phone': {exists: true}},
      digest: {by: 'recipient.phone', quiet: 'PT30M', atMost: 'PT2H'},
      action: {
        type: 'webhook',
        recipient: 'https://example.com/today',
        template: '{"to": "{{by}}", "text": "Coming today: {{#items}}{{trackingNumber}} {{/items}}"}',
      },
    },
    secondMessageOnAWorkingDay: {
      name: 'Second message on a working day',
      entityType: 'Order',
      triggers: ['order_shipped'],
      steps: [
        {type: 'webhook', recipient: 'https://example.com/shipped'},
        {type: 'wait', delay: 'P2D', workdays: true},
        {type: 'stop', when: {status: {ne: 'shipped'}}},
        {type: 'webhook', recipient: 'https://example.com/second'},
      ],
    },
    askForAReview: {
      name: 'Ask for a review',
      entityType: 'Shipment',
      triggers: ['shipment_delivered'],
      delay: 'P7D',
      cancelOn: {triggers: ['shipment_returned']},
      action: {type: 'webhook', recipient: 'https://example.com/review'},
    },
  },
};
