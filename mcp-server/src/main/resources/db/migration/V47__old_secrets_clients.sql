-- Which program used the secret from before the rotation last: the one that still needs the new one.
ALTER TABLE key_seen ADD COLUMN previous_client text;
