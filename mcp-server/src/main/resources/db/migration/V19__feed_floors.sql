-- Up to where a feed was cleared away, and what an endpoint missed while it was disabled.

DROP TRIGGER event_feed_grown ON event_feed;
CREATE TRIGGER event_feed_grown AFTER INSERT OR UPDATE OF last_seq ON event_feed
    FOR EACH ROW EXECUTE FUNCTION tell_feed_grown();

ALTER TABLE event_feed ADD COLUMN cleared_seq bigint NOT NULL DEFAULT 0 CHECK (cleared_seq BETWEEN 0 AND last_seq);
COMMENT ON COLUMN event_feed.cleared_seq IS
    'What has this place or one before is in the feed no more, also where it is kept for a delivery that is still to come.';
-- Until now whatever no delivery waited for was cleared away: the feed is whole behind its last hole only.
UPDATE event_feed f
   SET cleared_seq = COALESCE((SELECT max(e.seq) - 1
                                 FROM (SELECT seq, lag(seq) OVER (ORDER BY seq) AS before
                                         FROM event
                                        WHERE tenant_id = f.tenant_id AND seq IS NOT NULL) e
                                WHERE e.before IS DISTINCT FROM e.seq - 1
                                  AND EXISTS (SELECT 1 FROM event WHERE tenant_id = f.tenant_id AND seq = f.last_seq)),
                              f.last_seq);

ALTER TABLE webhook_endpoint ADD COLUMN missed_after bigint, ADD COLUMN missed_until bigint;
-- Since when those were disabled that are now is not known: it may be all of the feed that is kept.
UPDATE webhook_endpoint w SET missed_after = f.cleared_seq FROM event_feed f
 WHERE f.tenant_id = w.tenant_id AND NOT w.enabled AND w.deleted_at IS NULL;
COMMENT ON COLUMN webhook_endpoint.missed_after IS 'The last place of the feed when it was last disabled: what came behind was not queued for it.';
COMMENT ON COLUMN webhook_endpoint.missed_until IS 'The last place of the feed when it was enabled again; null while it is not.';
