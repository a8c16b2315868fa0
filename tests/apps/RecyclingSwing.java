/** The rows of `recycling.py` in Swing: `java RecyclingSwing.java FILE SECONDS`, which compiles and runs it. */

import java.awt.BorderLayout;
import java.awt.FlowLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.swing.Box;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

public class RecyclingSwing {
    private static final String[] PEOPLE = {"Ada", "Bob", "Eve", "Joe", "Kim", "Lea", "Max", "Zoe"};
    private static final int SIZE = 5;

    private final Path path;
    private final List<String> pressed = new ArrayList<>();
    private final List<JLabel> labels = new ArrayList<>();
    private final JLabel done = new JLabel("Done 0");
    private int first = 0;

    RecyclingSwing(Path path, double seconds) {
        this.path = path;
        Box people = Box.createVerticalBox();
        for (int row = 0; row < SIZE; row++) {
            JLabel label = new JLabel();
            JButton button = new JButton("Edit");
            button.addActionListener(event -> press(label.getText()));
            JPanel line = new JPanel(new FlowLayout());
            line.add(label);
            line.add(button);
            people.add(line);
            labels.add(label);
        }
        show();
        write();
        JFrame frame = new JFrame("Recycling");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(done, BorderLayout.NORTH);
        frame.add(people, BorderLayout.CENTER);
        frame.setSize(320, 320);
        frame.setVisible(true);
        new Timer((int) Math.round(seconds * 1000), event -> {
            first++;
            show();
        }).start();
    }

    private void show() {
        for (int row = 0; row < SIZE; row++) {
            int number = first + row;
            labels.get(row).setText(PEOPLE[number % PEOPLE.length] + " " + number);
        }
    }

    private void press(String person) {
        pressed.add(person);
        write();
        done.setText("Done " + pressed.size());
    }

    private void write() {
        String all = pressed.stream().map(person -> '"' + person + '"').collect(Collectors.joining(", "));
        try {
            Path fresh = path.resolveSibling(path.getFileName() + ".new");
            Files.writeString(fresh, "{\"pressed\": [" + all + "]}");
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public static void main(String[] words) {
        SwingUtilities.invokeLater(() -> new RecyclingSwing(Path.of(words[0]), Double.parseDouble(words[1])));
    }
}
