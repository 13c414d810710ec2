/** Input values of Text and PhoneNumber fields, by key; an array becomes an array of values. */
export const texts = (values: Record<string, string | string[]>) =>
  Object.entries(values).map(([Key, value]) => ({
    Key,
    Value: Array.isArray(value) ? value.map(Value => ({ String: { Value } })) : { String: { Value: value } },
  }))

/** A person as an upsert gives it, by the demo fields: `nationalId` names it. */
export const person = (nationalId: string, more: Record<string, string | string[]> = {}, keys?: string[]) => ({
  CustomFieldValues: texts({ givenName: 'Ada', familyName: 'Byron', nationalId, ...more }),
  ...(keys ? { StructuralEntityKeys: keys } : {}),
})
