import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The upper limit of performance: a bare Jetty handler with Jackson, HikariCP and at most one statement, in a
 * separate process. The last part of the path selects the work: none, select, insert, or bytes, which is a
 * response with the size of a file.
 */
final class Limit extends Handler.Abstract {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 1_000;

    private final HikariDataSource pool;
    private final byte[] answer;

    private Limit(HikariDataSource pool, byte[] answer) {
        this.pool = pool;
        this.answer = answer;
    }

    /** Arguments: JDBC URL, user, password, the file. Prints its port. */
    public static void main(String[] arguments) throws Exception {
        var config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setUsername(arguments[1]);
        config.setPassword(arguments[2]);
        config.setMaximumPoolSize(12);
        var pool = new HikariDataSource(config);
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS bench");
            statement.execute("CREATE TABLE IF NOT EXISTS bench.row (id bigint PRIMARY KEY, name text, text text)");
            statement.execute("CREATE TABLE IF NOT EXISTS bench.new_row (id bigserial PRIMARY KEY, name text, text text)");
            statement.execute("INSERT INTO bench.row SELECT n, 'row ' || n, repeat('x', 300) FROM generate_series(1, %d) n ON CONFLICT DO NOTHING".formatted(ROWS));
            statement.execute("ANALYZE bench.row");
        }
        var server = new Server(new VirtualThreadPool());
        var connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Limit(pool, Files.readAllBytes(Path.of(arguments[3]))));
        server.start();
        System.out.println("ready http://127.0.0.1:" + connector.getLocalPort());
        server.join();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var call = JSON.readTree(Content.Source.asInputStream(request));
        var path = Request.getPathInContext(request);
        var body = switch (path) {
            case "/select" -> select();
            case "/insert" -> insert(call);
            case "/bytes" -> answer;
            default -> JSON.writeValueAsBytes(JSON.createObjectNode().put("name", "row").put("text", "x".repeat(300)));
        };
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
        return true;
    }

    private byte[] select() throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.prepareStatement("SELECT name, text FROM bench.row WHERE id = ?")) {
            statement.setLong(1, ThreadLocalRandom.current().nextInt(ROWS) + 1);
            var rows = statement.executeQuery();
            rows.next();
            return JSON.writeValueAsBytes(
                    JSON.createObjectNode().put("name", rows.getString(1)).put("text", rows.getString(2)));
        }
    }

    private byte[] insert(JsonNode call) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.prepareStatement("INSERT INTO bench.new_row (name, text) VALUES (?, ?) RETURNING id")) {
            statement.setString(1, "row");
            statement.setString(2, call.at("/params/arguments/content").asString("x".repeat(100)));
            var rows = statement.executeQuery();
            rows.next();
            return JSON.writeValueAsBytes(JSON.createObjectNode().put("id", rows.getLong(1)));
        }
    }
}
