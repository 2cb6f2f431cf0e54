-- Where these data are, and since when. After the restore of a backup the stored identity is another than the present one.
CREATE TABLE data_home (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    identity text    NOT NULL,
    epoch    bigint  NOT NULL
);
COMMENT ON COLUMN data_home.identity IS 'Of the database and its table; empty until the first start.';
COMMENT ON COLUMN data_home.epoch IS 'When the data were last restored, in milliseconds since 1970; 0: never.';
INSERT INTO data_home (identity, epoch) VALUES ('', 0);
