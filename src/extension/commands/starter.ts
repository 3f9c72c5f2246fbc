/** Runs at once, without a model: a transcript and a check of its text. */
export const STARTER = `# Save this as something.eval.yaml, then click Run on the case.
name: My first conversation eval

cases:
  - id: remembers-the-order
    description: The order number of the first turn is used in the last.
    transcript:
      - user: Hi, where is my order 98765?
      - assistant: Let me look up order 98765. It left our warehouse yesterday.
      - user: Thanks! Can you change the address?
      - assistant: Of course. What is the new address for order 98765?
    assert:
      - type: contains
        name: Uses the order number
        value: "98765"
        at: each
`;
