-- An entry of the audit says why a call was refused, which arguments it had, and which message or memory it wrote. Never contents.
ALTER TABLE audit
    ADD COLUMN note      text,
    ADD COLUMN arguments text[],
    ADD COLUMN item      text;
COMMENT ON COLUMN audit.note IS 'Why the call was refused, without what the note quotes of the request.';
COMMENT ON COLUMN audit.arguments IS 'The names of the call''s arguments, without their contents.';
COMMENT ON COLUMN audit.item IS 'The id of the message or memory that the call wrote.';
