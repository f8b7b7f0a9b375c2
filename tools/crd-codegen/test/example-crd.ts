// A small CRD for the tests of the generator, with one of everything.
export const EXAMPLE_YAML = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: teapots.example.com }
spec:
  group: example.com
  names: { kind: Teapot, plural: teapots }
  versions:
    - name: v1
      storage: false
      schema: { openAPIV3Schema: { type: object } }
    - name: v2
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: Teapot is short and stout.
          properties:
            spec:
              type: object
              description: What it is.
              required: [colour, brewing]
              properties:
                colour: { type: string, description: "It's painted so.", enum: [red, "d'or"] }
                brewing:
                  type: object
                  required: [minutes]
                  properties:
                    minutes: { type: integer }
                    strength: { type: number, description: How strong., default: 1.5 }
                handle:
                  type: object
                  properties: { side: { type: string, maxLength: 5 } }
                notes: { type: object, maxProperties: 3, additionalProperties: { type: string, maxLength: 9 } }
                extras: { type: array, maxItems: 2, items: { x-kubernetes-preserve-unknown-fields: true } }
            status:
              type: object
              default: {}
              properties:
                currentMood: { type: string, title: Mood, enum: [calm, steaming] }
                pours:
                  type: array
                  items:
                    type: object
                    required: [at]
                    properties:
                      at: { type: string, format: date-time, description: When. }
                      mood: { type: string, title: Mood, enum: [calm, steaming] }
`;
