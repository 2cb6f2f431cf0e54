import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.agentworkspace.engine.memory.embedding.WordPiece;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A model of embeddings. A jar has its weights as {@code <name>.onnx}, and its words as {@code <name>-tokenizer.json}.
 */
final class OnnxModel implements AutoCloseable {
    private static final int OVERLAP = 16;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession session;
    private final WordPiece words;
    private final Recipe recipe;
    private long nanos;
    private int questions;

    /**
     * How a model is to be used.
     *
     * @param isFirst whether the vector of a text is that of its first token, and not the mean of all
     */
    private record Recipe(String question, String text, boolean isFirst) {
        static Recipe of(String name) {
            if (name.startsWith("bge")) {
                return new Recipe("Represent this sentence for searching relevant passages: ", "", true);
            }
            return name.startsWith("e5") ? new Recipe("query: ", "passage: ", false) : new Recipe("", "", false);
        }
    }

    OnnxModel(String name, Path jar) throws IOException, OrtException {
        recipe = Recipe.of(name);
        try (var options = new OrtSession.SessionOptions();
                var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            session = environment.createSession(resource(loader, name + ".onnx"), options);
            words = WordPiece.of(resource(loader, name + "-tokenizer.json"));
        }
    }

    private static byte[] resource(ClassLoader loader, String name) throws IOException {
        try (var in = loader.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("the jar has no " + name);
            }
            return in.readAllBytes();
        }
    }

    float[] question(String text) {
        var began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        var tokens = words.tokens(recipe.question() + text);
        var vector = vector(tokens.subList(0, Math.min(126, tokens.size())));
        nanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
        questions++;
        return vector;
    }

    /** Returns the vectors of the parts of a text, each of at most so many tokens. */
    List<float[]> text(String text, int most) {
        var tokens = words.tokens(text);
        var front = words.tokens(recipe.text());
        var parts = new ArrayList<float[]>();
        var start = 0;
        do {
            var part = new ArrayList<>(front);
            part.addAll(tokens.subList(start, Math.min(tokens.size(), start + most)));
            parts.add(vector(part));
            start += most - OVERLAP;
        } while (start + OVERLAP < tokens.size());
        return parts;
    }

    private float[] vector(List<Integer> tokens) {
        var length = tokens.size() + 2;
        var ids = new long[1][length];
        ids[0][0] = WordPiece.BEGIN;
        ids[0][length - 1] = WordPiece.END;
        for (var i = 1; i < length - 1; i++) {
            ids[0][i] = tokens.get(i - 1);
        }
        var mask = new long[1][length];
        Arrays.fill(mask[0], 1);
        try (var input = OnnxTensor.createTensor(environment, ids);
                var attention = OnnxTensor.createTensor(environment, mask);
                var types = OnnxTensor.createTensor(environment, new long[1][length]);
                var output = session.run(Map.of("input_ids", input, "attention_mask", attention, "token_type_ids", types))) {
            var hidden = ((OnnxTensor) output.get(0)).getFloatBuffer();
            var vector = new float[hidden.remaining() / length];
            for (var token = 0; token < (recipe.isFirst() ? 1 : length); token++) {
                for (var i = 0; i < vector.length; i++) {
                    vector[i] += hidden.get(token * vector.length + i);
                }
            }
            return normal(vector);
        } catch (OrtException e) {
            throw new IllegalStateException(e);
        }
    }

    private static float[] normal(float[] vector) {
        var square = 0.0;
        for (var each : vector) {
            square += each * each;
        }
        for (var i = 0; i < vector.length; i++) {
            vector[i] /= (float) Math.sqrt(square);
        }
        return vector;
    }

    /** Returns the processor time of a question. */
    double millis() {
        return nanos / 1e6 / Math.max(1, questions);
    }

    @Override
    public void close() throws OrtException {
        session.close();
    }
}
