package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** YAML as scenarios use it: a plain scalar is parsed as JSON, or else is a string. */
final class Yaml {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private Yaml() {}

  static JsonNode read(String text) {
    try {
      Node root =
          new Compose(LoadSettings.builder().build())
              .composeString(text)
              .orElseThrow(() -> new ScenarioFailure("the file is empty"));
      return json(root);
    } catch (YamlEngineException unreadable) {
      throw new ScenarioFailure("not YAML: " + unreadable.getMessage());
    }
  }

  private static JsonNode json(Node node) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getScalarStyle() == ScalarStyle.PLAIN
          ? plain(scalar.getValue())
          : JsonNodeFactory.instance.textNode(scalar.getValue());
    }
    if (node instanceof SequenceNode sequence) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      sequence.getValue().forEach(item -> array.add(json(item)));
      return array;
    }
    if (node instanceof MappingNode mapping) {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      mapping.getValue().forEach(tuple -> put(object, tuple));
      return object;
    }
    throw new ScenarioFailure("anchors are not allowed");
  }

  private static void put(ObjectNode object, NodeTuple tuple) {
    if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
      throw new ScenarioFailure("the keys of a mapping must be strings");
    }
    if (object.replace(key.getValue(), json(tuple.getValueNode())) != null) {
      throw new ScenarioFailure("the key " + key.getValue() + " occurs twice");
    }
  }

  private static JsonNode plain(String text) {
    try {
      JsonNode read = JSON.readTree(text);
      return read.isValueNode() && !read.isTextual() && !read.isMissingNode()
          ? read
          : JsonNodeFactory.instance.textNode(text);
    } catch (JsonProcessingException notJson) {
      return JsonNodeFactory.instance.textNode(text);
    }
  }
}
