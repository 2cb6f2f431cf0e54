package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VectorsTest {
    private static final int DIMENSIONS = 384;

    private static float[] random(Random random) {
        var vector = new float[DIMENSIONS];
        for (var i = 0; i < DIMENSIONS; i++) {
            vector[i] = (float) random.nextGaussian();
        }
        return Vectors.normalized(vector);
    }

    private static double cosine(float[] one, float[] other) {
        var sum = 0.0;
        for (var i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    @Test
    void theLikenessOfAPackedVectorIsThatOfTheVectorAlmost() {
        var random = new Random(1);
        for (var i = 0; i < 100; i++) {
            var question = random(random);
            var one = random(random);
            var other = random(random);
            var packed = Vectors.packed(List.of(one, other));
            assertThat((double) Vectors.likeness(question, packed, 0, packed.length))
                    .isCloseTo(Math.max(cosine(question, one), cosine(question, other)), within(0.01));
        }
    }

    @Test
    void signaturesOfPackedVectorsAreThoseOfTheVectors() {
        var random = new Random(2);
        var one = new float[DIMENSIONS];
        for (var i = 0; i < DIMENSIONS; i++) {
            one[i] = random.nextBoolean() ? 1 : -1;
        }
        var signature = Vectors.signature(one);
        var longs = ByteBuffer.wrap(Vectors.signatures(Vectors.packed(List.of(Vectors.normalized(one)))))
                .asLongBuffer();
        assertThat(longs.remaining()).isEqualTo(signature.length).isEqualTo(6);
        for (var word : signature) {
            assertThat(longs.get()).isEqualTo(word);
        }
    }

    @Test
    void vectorsOfAnotherLengthAreLikeNothing() {
        var packed = Vectors.packed(List.of(new float[] {1, 0}));
        assertThat(Vectors.likeness(new float[DIMENSIONS], packed, 0, packed.length))
                .isEqualTo(-1);
    }
}
