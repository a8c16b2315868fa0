/**
 * A tree in the second of two tabs, and which row of it is selected in the title: `java TabsSwing.java` compiles and
 * runs it.
 */

import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.JTabbedPane;
import javax.swing.JTextArea;
import javax.swing.JTree;
import javax.swing.SwingUtilities;
import javax.swing.tree.DefaultMutableTreeNode;

public class TabsSwing {
    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(TabsSwing::show);
    }

    private static void show() {
        JFrame frame = new JFrame("Tabs");
        DefaultMutableTreeNode root = new DefaultMutableTreeNode("Root");
        for (int branch = 1; branch < 4; branch++) {
            root.add(new DefaultMutableTreeNode("Branch " + branch));
        }
        JTree tree = new JTree(root);
        tree.addTreeSelectionListener(event -> frame.setTitle("Tabs " + event.getPath().getLastPathComponent()));
        JScrollPane left = new JScrollPane(tree);
        JTabbedPane tabs = new JTabbedPane();
        tabs.addTab("One with a long name", new JLabel("nothing"));
        tabs.addTab("Tree", new JSplitPane(JSplitPane.HORIZONTAL_SPLIT, left, new JScrollPane(new JTextArea("text"))));
        tabs.setSelectedIndex(1);
        frame.add(tabs);
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.setBounds(60, 40, 600, 400);
        frame.setVisible(true);
    }
}
