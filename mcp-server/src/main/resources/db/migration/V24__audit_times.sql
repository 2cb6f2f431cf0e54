-- How many refusals an entry sums up; null where it tells of one call.
ALTER TABLE audit ADD COLUMN times integer;
