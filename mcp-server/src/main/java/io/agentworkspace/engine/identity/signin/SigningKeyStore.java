package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.node.ObjectNode;

/**
 * The P-256 key pairs that sign access tokens. All replicas share them. The newest signs, the two newest are accepted
 * and published, and a new one is created every {@link #REIGN}. The private halves are encrypted by the {@link Vault}.
 */
public final class SigningKeyStore {
    /** How long a key signs. It stays published for as long again. */
    static final Duration REIGN = Duration.ofDays(30);

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final int PUBLISHED = 2;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String SELECT = "SELECT id, public_key, private_key, created_at FROM signing_key";

    private static final String NEWEST_FIRST = SELECT + " ORDER BY created_at DESC, id LIMIT :published";

    private final Db db;
    private final Vault vault;
    private final Clock clock;
    private final AtomicReference<CachedKeys> loaded = new AtomicReference<>(new CachedKeys(List.of(), Instant.MIN));

    public SigningKeyStore(Db db, Vault vault, Clock clock) {
        this.db = db;
        this.vault = vault;
        this.clock = clock;
    }

    /** The public half of a key, and its id in tokens. */
    record Published(String id, ECPublicKey key, String sealedPrivateKey, Instant createdAt) {}

    private static final String INSERT = """
        INSERT INTO signing_key (id, public_key, private_key, created_at) VALUES (:id, :public, :private, :now)
        """;

    /** The key that signs new tokens. */
    record Signer(String id, PrivateKey key) {}

    private record CachedKeys(List<Published> newestFirst, Instant at) {
        Optional<Published> find(String id) {
            return newestFirst.stream().filter(key -> key.id().equals(id)).findFirst();
        }
    }

    /** Returns the key that signs new tokens. */
    Signer signer() {
        var now = clock.instant();
        var keys = loaded.get();
        if (keys.newestFirst().isEmpty() || isOld(keys.newestFirst().getFirst(), now)) {
            keys = load(now, true);
        }
        var newest = keys.newestFirst().getFirst();
        var bytes = vault.open(place(newest.id()), newest.sealedPrivateKey());
        return new Signer(newest.id(), privateKey(bytes));
    }

    /**
     * Signs a document that the engine publishes: a JWS whose payload is the document (RFC 7515).
     *
     * @param keySet where the public keys are published
     * @return the protected header and the signature, both encoded
     */
    ObjectNode sign(byte[] document, String keySet) {
        var signer = signer();
        var header = Json.object()
                .put("alg", "ES256")
                .put("jku", keySet)
                .put("kid", signer.id())
                .put("typ", "JOSE");
        var encoded = BASE64.encodeToString(Json.bytes(header));
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(signer.key());
            signature.update((encoded + "." + BASE64.encodeToString(document)).getBytes(StandardCharsets.US_ASCII));
            return Json.object().put("protected", encoded).put("signature", BASE64.encodeToString(signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK signs with P-256", e);
        }
    }

    /** Returns the key with this id, if it is still accepted. */
    Optional<ECPublicKey> find(String id) {
        var found = loaded.get().find(id);
        return (found.isPresent() ? found : fresh().find(id)).map(Published::key);
    }

    /** Returns the accepted keys, the newest first. */
    List<Published> published() {
        return fresh().newestFirst();
    }

    /** Reloads the keys, since another replica may have created one. Unknown ids cause a query at most once a second. */
    private CachedKeys fresh() {
        var keys = loaded.get();
        var now = clock.instant();
        return now.isBefore(keys.at().plus(PAUSE)) ? keys : load(now, false);
    }

    private static boolean isOld(Published key, Instant now) {
        return !now.isBefore(key.createdAt().plus(REIGN));
    }

    private CachedKeys load(Instant now, boolean renew) {
        var fresh = new CachedKeys(renew ? db.transaction(() -> renewed(now)) : newestFirst(), now);
        loaded.set(fresh);
        return fresh;
    }

    private List<Published> renewed(Instant now) {
        db.sql("SELECT pg_advisory_xact_lock(:lock)")
                .set("lock", AdvisoryLock.SIGNING_KEYS.number)
                .one(_ -> true);
        var keys = newestFirst();
        if (!keys.isEmpty() && !isOld(keys.getFirst(), now)) {
            return keys;
        }
        var pair = generate();
        var id = name(pair);
        db.sql(INSERT)
                .set("id", id)
                .set("public", pair.getPublic().getEncoded())
                .set("private", vault.seal(place(id), pair.getPrivate().getEncoded()))
                .set("now", now)
                .run();
        return newestFirst();
    }

    private List<Published> newestFirst() {
        return db.sql(NEWEST_FIRST).set("published", PUBLISHED).list(SigningKeyStore::published);
    }

    private static Published published(Row row) throws SQLException {
        return new Published(
                row.text("id"),
                publicKey(row.bytes("public_key")),
                row.text("private_key"),
                Objects.requireNonNull(row.instantOrNull("created_at")));
    }

    /** Returns the context that the private key with this id is encrypted for. */
    public static String place(String id) {
        return "signing_key/%s/private_key".formatted(id);
    }

    private static KeyPair generate() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256", e);
        }
    }

    private static String name(KeyPair pair) {
        return HexFormat.of().formatHex(Sha256.of(pair.getPublic().getEncoded()), 0, 8);
    }

    private static ECPublicKey publicKey(byte[] encoded) {
        try {
            return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(encoded));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the database holds what is no public key", e);
        }
    }

    private static PrivateKey privateKey(byte[] encoded) {
        try {
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the vault holds what is no private key", e);
        }
    }

    /** Deletes the keys that are no longer accepted. */
    public void purge(Instant now) {
        db.sql("""
                DELETE FROM signing_key
                 WHERE created_at < :until
                   AND id NOT IN (SELECT id FROM signing_key ORDER BY created_at DESC, id LIMIT :published)
                """)
                .set("until", now.minus(REIGN.multipliedBy(PUBLISHED)))
                .set("published", PUBLISHED)
                .run();
    }
}
