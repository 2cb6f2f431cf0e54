-- The search of messages. A text is found by its words. Folding is the same for texts and queries: it is done here and nowhere else.
-- The index is built once. While that lasts, new messages wait; reads do not.

SET LOCAL maintenance_work_mem = '256MB';

CREATE FUNCTION message_words(said text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF octet_length(said) = char_length(said) THEN
        RETURN btrim(regexp_replace(lower(said), '[^a-z0-9]+', ' ', 'g'));
    END IF;
    RETURN btrim(regexp_replace(regexp_replace(
        replace(replace(replace(translate(lower(normalize(regexp_replace(normalize(said, NFKD),
            '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u0640\u064b-\u065f\u0670\ufe00-\ufe0f]+', '', 'g'), NFKC)),
            'ςøłđħŧı', 'σoldhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
        '([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\u2bff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf'
            || '\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff])', ' \1 ', 'g'),
        '[\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf'
            || '\u2e00-\u2e7f\u3000-\u3004\u3008-\u303f\ufeff\uff5b-\uff65]+', ' ', 'g'));
END $$;

CREATE FUNCTION message_terms(tenant bigint, stream bigint, speaker bigint, said text) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    words text := message_words(said);
BEGIN
    IF char_length(words) > 255 THEN
        words := regexp_replace(words, '([^ ]{255})[^ ]+', '\1', 'g');
    END IF;
    RETURN array_to_tsvector(array_remove(string_to_array(
        tenant || '#' || stream || replace(' @' || speaker || ' ' || words, ' ', ' ' || tenant || '.'), ' '), tenant || '.'));
END $$;

COMMENT ON FUNCTION message_words(text) IS 'The words of a text, folded, with a space between each two: without case, accents and punctuation. Characters of scripts without spaces are words of their own.';
COMMENT ON FUNCTION message_terms(bigint, bigint, bigint, text) IS 'By what a message is found: its words, its conversation and its sender, each with the tenant.';

CREATE INDEX message_term ON message USING gin (message_terms(tenant_id, stream_id, speaker_id, content)) WITH (fastupdate = off);
CREATE INDEX message_place ON message (tenant_id, stream_id, created_at, seq);
CREATE INDEX message_speaker ON message (tenant_id, speaker_id, created_at, stream_id, seq);
