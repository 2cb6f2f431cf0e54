package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The clients that registered themselves. One that nobody gave access to is forgotten after a day, or before, if there are more of
 * them than one address, one network or all may have. Within {@link #PENDING} it is not: its user may be at the page right now.
 */
final class ClientStore {
    static final int MOST_OF_ADDRESS = 50;
    static final int MOST_OF_NETWORK = 200;
    static final int MOST = 10_000;

    /** How long a registration is safe from those after it. */
    static final Duration PENDING = Duration.ofMinutes(10);

    private static final Duration UNUSED = Duration.ofDays(1);
    private static final long LOCK = 0x6f61757468L;
    private static final String OLD = Db.oldRows("oauth_client", "id", "used_at IS NULL AND created_at <= :until");

    private static final String OF_ADDRESS = room("used_at IS NULL AND address = :address AND network = :network");
    private static final String OF_NETWORK = room("used_at IS NULL AND network = :network AND :address <> ''");
    private static final String OF_ALL = room("used_at IS NULL AND :address <> '' AND :network <> ''");

    private final Db db;

    public ClientStore(Db db) {
        this.db = db;
    }

    /** Returns the statement that ends the oldest of the unused clients that are too many, and counts those that are left. */
    private static String room(String which) {
        return SqlTemplate.of("""
                WITH unused AS (SELECT id, created_at FROM oauth_client WHERE {which}),
                     old AS (DELETE FROM oauth_client
                              WHERE used_at IS NULL AND created_at <= :pending
                                AND id IN (SELECT id FROM unused ORDER BY created_at DESC, id OFFSET :others)
                             RETURNING id)
                SELECT (SELECT count(*) FROM unused) - (SELECT count(*) FROM old) AS remaining
                """).with("which", which).sql();
    }

    /** Where a client is registered from: an address (of IPv6, the network of a host), and the network around it. */
    record Source(String address, String network) {
        static Source of(String text) {
            try {
                var address = InetAddress.ofLiteral(text);
                var bytes = address.getAddress();
                return address instanceof Inet4Address
                        ? new Source(address.getHostAddress(), prefix(bytes, 3))
                        : new Source(prefix(bytes, 8), prefix(bytes, 6));
            } catch (IllegalArgumentException e) {
                return new Source(text, text);
            }
        }

        private static String prefix(byte[] bytes, int length) {
            return HexFormat.of().formatHex(Arrays.copyOf(bytes, length)) + "/" + 8 * length;
        }
    }

    /** Stores a client, and returns whether there was room for it. */
    boolean insert(OAuthClient client, Source source, Instant now) {
        return db.transaction(() -> {
            db.sql("SELECT pg_advisory_xact_lock(:lock)").set("lock", LOCK).one(_ -> true);
            var hasRoom = hasRoom(OF_ADDRESS, MOST_OF_ADDRESS, source, now)
                    && hasRoom(OF_NETWORK, MOST_OF_NETWORK, source, now)
                    && hasRoom(OF_ALL, MOST, source, now);
            if (hasRoom) {
                store(client, source, now);
            }
            return hasRoom;
        });
    }

    private boolean hasRoom(String statement, int most, Source source, Instant now) {
        return db.sql(statement)
                .set("address", source.address())
                .set("network", source.network())
                .set("pending", now.minus(PENDING))
                .set("others", most - 1)
                .one(row -> row.number("remaining") < most)
                .orElse(false);
    }

    private void store(OAuthClient client, Source source, Instant now) {
        db.sql("""
                INSERT INTO oauth_client (id, name, redirect_uris, secret_hash, created_at, address, network, proves)
                VALUES (:id, :name, :uris, :hash, :now, :address, :network, :proves)
                """)
                .set("id", client.id())
                .set("name", client.name())
                .set("uris", client.redirectUris())
                .set("hash", client.secretHash())
                .set("now", now)
                .set("address", source.address())
                .set("network", source.network())
                .set("proves", client.proves())
                .run();
    }

    Optional<OAuthClient> find(String id) {
        return db.sql("SELECT id, name, redirect_uris, secret_hash, proves FROM oauth_client WHERE id = :id")
                .set("id", id)
                .one(row -> new OAuthClient(
                        row.text("id"),
                        row.text("name"),
                        row.texts("redirect_uris"),
                        row.bytesOrNull("secret_hash"),
                        null,
                        row.flag("proves")));
    }

    void use(String id, Instant now) {
        db.sql("UPDATE oauth_client SET used_at = :now WHERE id = :id")
                .set("id", id)
                .set("now", now)
                .run();
    }

    /** Deletes the clients that were never used. */
    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(UNUSED));
    }
}
