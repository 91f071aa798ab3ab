/** The page of a record that the audit log names: its path below /console/, and the record that is open there; null without one. */
export function placeOf(entityType: string, guid: string): {path: string; open?: string} | null {
  switch (entityType) {
    case 'workflow':
      return {path: `workflows/${guid}`};
    case 'customer':
      return {path: `customers/${guid}`};
    case 'template':
      return {path: `settings/templates/${guid}`};
    case 'carrier':
      return {path: 'carriers', open: guid};
    case 'purchase':
      return {path: 'carriers/purchases', open: guid};
    case 'integration':
      return {path: 'stores', open: guid};
    case 'token':
      return {path: 'settings/tokens', open: guid};
    case 'user':
      return {path: 'settings/users'};
    case 'business':
      return {path: 'settings/business'};
    default:
      return null;
  }
}
