package io.memoryd.client;

import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import java.io.IOException;

/**
 * Refuses the numbers that JSON cannot represent. By default Jackson stores them as text, such as
 * {@code "NaN"}.
 */
final class StrictGenerator extends JsonGeneratorDelegate {
  StrictGenerator(JsonGenerator generator) {
    super(generator, false);
  }

  @Override
  public void writeNumber(double number) throws IOException {
    if (!Double.isFinite(number)) {
      throw new JsonGenerationException("JSON has no number " + number, this);
    }
    super.writeNumber(number);
  }

  @Override
  public void writeNumber(float number) throws IOException {
    if (!Float.isFinite(number)) {
      throw new JsonGenerationException("JSON has no number " + number, this);
    }
    super.writeNumber(number);
  }

  @Override
  public void writeArray(double[] numbers, int offset, int length) throws IOException {
    writeStartArray(numbers, length);
    for (int index = offset; index < offset + length; index++) {
      writeNumber(numbers[index]);
    }
    writeEndArray();
  }
}
